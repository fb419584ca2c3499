/* smaps_fold.h - thousands of small mappings without a name, kept as sums.
 *
 * Programs with tens of thousands of mappings have them alike: small, anonymous, side by side.
 * While they are read, those that are not asked for by address are added up, so that the list
 * stays short: not the largest ones, which are listed; none that borders on a mapping of another
 * kind, which may be a stack's guard or part of an allocator's reservation; none where runtimes
 * put their heaps.  A caller for which a folded one matters later (a claim, a thread's stack in
 * it) must read again, without folding. */
#pragma once

#include "procfs/memory/smaps.h"

#define SMAPS_FOLD_AT  2048u                /* mappings in the list */
#define SMAPS_FOLD_MAX ((uint64_t)64 << 10) /* of a mapping that is folded */

/* Shortens the list when it is long: to be called before a mapping is added.  `top`: the largest
 * by RSS, of which none is folded, nor an earlier one of the same size.  0 or -ENOMEM, and
 * nothing is lost then. */
int smaps_fold(struct smaps *smaps, size_t top);
