/* smaps_fold.h - adds up thousands of small mappings without a name.
 *
 * Programs with tens of thousands of mappings have many alike: small, anonymous, side by side.
 * While they are read, those that are not needed by address are added up, so that the list stays
 * short.  Not folded are: the largest mappings, which are listed; a mapping next to one of another
 * kind, which may be a stack's guard or part of an allocator's reservation; mappings where runtimes
 * put their heaps.  A caller that later needs a folded mapping (a claim, a thread's stack in it)
 * must read again, without folding. */
#pragma once

#include "procfs/memory/smaps.h"

#define SMAPS_FOLD_AT  2048u                /* Number of mappings in the list. */
#define SMAPS_FOLD_MAX ((uint64_t)64 << 10) /* Largest size of a folded mapping. */

/* Shortens the list when it is long; to be called before a mapping is added.  Folds none of the
 * `top` largest by RSS, nor an earlier one of the same size.  Returns 0, or -ENOMEM with nothing
 * lost. */
int smaps_fold(struct smaps *smaps, size_t top);
