/* split_regions.h - cuts mappings where a claim begins or ends in the middle of one. */
#pragma once

#include "model/memory/breakdown.h"

/* A piece gets its resident and swapped pages by looking at them, the other figures in proportion;
 * the pieces add up to what the mapping had.  Claims are settled.  Returns 0 or -errno; then the
 * regions are as they were. */
int split_regions(struct breakdown *breakdown);
