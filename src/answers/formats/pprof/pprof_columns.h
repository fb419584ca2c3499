/* pprof_columns.h - the meaning of the columns of a profile for a recording.
 *
 * Heap, CPU time and waits become memoir's own metrics.  What memoir itself wrote becomes what it
 * was before.  Other columns become metrics of the file's own, with their names. */
#pragma once

#include "formats/pprof/pprof_profile.h"
#include "model/recording.h"

#define PPROF_COLUMNS_MAX 64

enum pprof_role {
    ROLE_NONE, /* the column is left out */
    ROLE_CELL, /* the values go to a column of the recording */
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
        enum column column; /* for ROLE_CELL */
        int64_t factor;     /* converts its unit to ours */
    } items[PPROF_COLUMNS_MAX];
    unsigned count;
    bool has[ROLES];
    bool has_cpu, has_waits;
    unsigned left_out; /* number of columns without room */
};

/* Adds the metrics of the file to the recording, and sets which metric is shown first. */
void pprof_columns_make(struct pprof_columns *columns, const struct pprof_profile *profile,
                        struct recording *recording);

static inline bool pprof_columns_have_heap(const struct pprof_columns *columns)
{
    return columns->has[ROLE_ALLOC_BYTES] || columns->has[ROLE_LIVE_BYTES] ||
           columns->has[ROLE_ALLOC_COUNT] || columns->has[ROLE_LIVE_COUNT];
}
