/* heap_totals.h - the exact size of the heap in each heap profile of a run: the sum over its
 * samples, never a printed number.
 *
 * Two threads read the profiles.  The totals are kept in run.db, so no profile is read twice. */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "cluster/runs/run.h"

#define HEAP_UNKNOWN (-1)

struct heap_total {
    int64_t inuse_bytes, alloc_bytes,
        inuse_objects; /* HEAP_UNKNOWN: the profile has no such column, or could not be read */
};

struct heap_totals {
    /* by index in run->files; unknown for other files than heap profiles */
    struct heap_total *items;
    uint64_t read, kept;      /* profiles read now, and totals found in run.db */
    uint64_t unread;          /* profiles that could not be read */
    struct fault first_fault; /* the error of the first of these, with its name */
};

/* Reads the totals of the nodes for which `is_wanted` is true (NULL: all).  A profile that cannot
 * be read is counted.  Returns 0 or -errno with a sentence. */
int heap_totals_read(struct heap_totals *totals, const struct run *run, const bool *is_wanted,
                     struct fault *fault);
void heap_totals_fini(struct heap_totals *totals);
