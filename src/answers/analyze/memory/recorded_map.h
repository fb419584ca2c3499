/* recorded_map.h - the address space of the process as stored in a recording, as a breakdown. */
#pragma once

#include "analyze/memory/sort_regions.h"
#include "base/fault.h"
#include "model/recording.h"

/* Makes the breakdown, without what only the kernel knows: PSS, private and shared, swap.  The
 * names belong to the recording, which must outlive the breakdown.  Returns 0; -ENODATA with a
 * sentence when the recording has no map; or -ENOMEM.  The caller calls breakdown_fini. */
int recorded_map_make(const struct recording *recording, const struct sort_rules *rules,
                      struct breakdown *breakdown, struct fault *fault);

/* The stack that mapped these addresses; STACK_EMPTY when unknown, or when there are several. */
stack_id recorded_map_stack(const struct recording *recording, uint64_t start, uint64_t end);
