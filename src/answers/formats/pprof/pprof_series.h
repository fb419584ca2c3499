/* pprof_series.h - profiles of one or several nodes, taken one after the other, as one recording.
 *
 * A bucket ends where profiles were taken, and has what changed since.  What is live is a level;
 * what only adds up since a process began (all that was ever allocated, waits) is turned into
 * increments, from the node's first profile on; that it became less means that the process was
 * started anew.  Profiles of processor time are each of a stretch of their own, and added. */
#pragma once

#include "formats/pprof/pprof_cells.h"

#define PPROF_SERIES_CELLS_MAX ((size_t)64 << 20)

struct pprof_node {
    stack_id outer; /* of all its stacks; STACK_EMPTY when it is the only one */
    struct pprof_cell_list levels, thread_levels;
    uint64_t profiles, restarts;
};

struct pprof_series {
    struct recording *recording;
    struct pprof_frames frames;
    VEC(struct pprof_node) nodes;
    bool is_run;     /* of several profiles each: then the first one is what was there before */
    uint64_t end_ns; /* of the open bucket */
    struct pprof_cell_list open, open_threads; /* its cells */
    size_t cells;                              /* in all buckets */
    bool is_cumulative[COLUMN_LIMIT];
    bool has_heap, has_live, has_time;
    int64_t live_bytes, live_count; /* now, of all nodes */
    uint64_t labels_left_out, odd_lines, columns_left_out, bad_drops;
    uint64_t missing,
        lacks_break; /* profiles as text that lines are missing of; whose last line has no end */
    double missing_share; /* of the first of them */
    uint64_t period;      /* of heap samples: the most bytes between two */
    uint64_t hz;          /* of samples of time */
    struct pprof_column_totals {
        int64_t cpu_samples, waits, wait_ns;
    } totals;
    char label_key[64]; /* one that was left out */
};

/* Returns 0 or -ENOMEM.  `recording` stays the caller's. */
int pprof_series_init(struct pprof_series *series, struct recording *recording);
void pprof_series_fini(struct pprof_series *series);
/* A node, whose stacks stand under its name; NULL: the only one, without. Its index in *node. */
int pprof_series_add_node(struct pprof_series *series, const char *name, uint32_t *node);

/* A profile of a node, taken when the recording was `at_ns` old; no earlier than the one before.
 * Returns 0, -ENOMEM, or -E2BIG: more than PPROF_SERIES_CELLS_MAX. */
int pprof_series_add(struct pprof_series *series, uint32_t node, uint64_t at_ns,
                     const struct pprof_profile *profile);
/* Closes the last bucket; totals, notes and what the recording is about.  Returns 0 or -ENOMEM. */
int pprof_series_finish(struct pprof_series *series);
