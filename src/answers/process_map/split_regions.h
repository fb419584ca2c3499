/* split_regions.h - splits mappings in which a claim begins or ends. */
#pragma once

#include "model/memory/breakdown.h"

/* Call it after claims are settled.  The resident and swapped pages of each piece are read; its
 * other figures are in proportion, and the pieces add up to the figures of the mapping.  Returns 0;
 * or -errno, and the regions are unchanged. */
int split_regions(struct breakdown *breakdown);
