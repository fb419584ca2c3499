/* pprof_columns.h - what the columns of a profile are for a recording.
 *
 * Heap, processor time and waits are memoir's own metrics; what memoir itself wrote comes back
 * as what it was; everything else becomes a metric of the file's own, under its name. */
#pragma once

#include "formats/pprof/pprof_profile.h"
#include "model/recording.h"

#define PPROF_COLUMNS_MAX 64

enum pprof_role {
    ROLE_NONE, /* left out */
    ROLE_CELL, /* a column of the recording as it is */
    ROLE_ALLOC_COUNT,
    ROLE_ALLOC_BYTES,
    ROLE_LIVE_COUNT,
    ROLE_LIVE_BYTES,
    ROLE_PEAK_COUNT,
    ROLE_PEAK_BYTES,
    ROLES
};

struct pprof_columns {
    struct {
        enum pprof_role role;
        enum column column; /* of ROLE_CELL */
        int64_t factor;     /* its unit in ours */
    } items[PPROF_COLUMNS_MAX];
    unsigned count;
    bool has[ROLES];
    bool has_cpu, has_waits;
    unsigned left_out; /* columns that there was no room for */
};

/* Adds the file's own metrics to the recording, and which one is to be shown. */
void pprof_columns_make(struct pprof_columns *columns, const struct pprof_profile *profile,
                        struct recording *recording);

static inline bool pprof_columns_have_heap(const struct pprof_columns *columns)
{
    return columns->has[ROLE_ALLOC_BYTES] || columns->has[ROLE_LIVE_BYTES] ||
           columns->has[ROLE_ALLOC_COUNT] || columns->has[ROLE_LIVE_COUNT];
}
