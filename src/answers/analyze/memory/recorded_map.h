/* recorded_map.h - the address space that a recording has of its process, as if it had been looked at then. */
#pragma once

#include "analyze/memory/sort_regions.h"
#include "base/fault.h"
#include "model/recording.h"

/* All but what only the kernel knows: PSS, private and shared, swap.  Names are those of the recording, which must stay.  0; -ENODATA with a sentence
 * when it has none; -ENOMEM.  The caller ends it with breakdown_fini. */
int recorded_map_make(const struct recording *recording, const struct sort_rules *rules,
                      struct breakdown *breakdown, struct fault *fault);

/* The stack that mapped these addresses, as far as the recording knows; STACK_EMPTY: it does not, or there are several. */
stack_id recorded_map_stack(const struct recording *recording, uint64_t start, uint64_t end);
