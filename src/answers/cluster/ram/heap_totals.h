/* heap_totals.h - how many bytes each heap profile of a run holds, exact: the sum over its
 * samples, never a printed number read back.
 *
 * Profiles are read by two threads; what was read once is kept in run.db. */
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
    struct heap_total *items; /* by index in run->files; those that are no heap are unknown */
    uint64_t read, kept;      /* profiles read now, and known from run.db */
    uint64_t unread;          /* that could not be read */
    struct fault first_fault; /* why, of the first of them, with its name */
};

/* `is_wanted` (by node; NULL: all).  Returns 0 or -errno with a sentence; a profile that cannot be
 * read is counted. */
int heap_totals_read(struct heap_totals *totals, const struct run *run, const bool *is_wanted,
                     struct fault *fault);
void heap_totals_fini(struct heap_totals *totals);
