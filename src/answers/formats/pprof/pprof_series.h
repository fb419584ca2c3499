/* pprof_series.h - makes one recording from consecutive profiles of one or several nodes.
 *
 * A bucket ends when profiles were taken, and has the changes since the bucket before.  Live memory
 * is a level.  Sums since the start of a process (everything ever allocated, waits) are turned into
 * increments, beginning with the first profile of the node; if such a sum became smaller, the
 * process was restarted.  Profiles of CPU time each have a time range of their own, and are
 * added. */
#pragma once

#include "formats/pprof/pprof_cells.h"

#define PPROF_SERIES_CELLS_MAX ((size_t)64 << 20)

struct pprof_node {
    stack_id outer; /* caller of all its stacks; STACK_EMPTY for a single node */
    struct pprof_cell_list levels, thread_levels;
    uint64_t profiles, restarts;
};

struct pprof_series {
    struct recording *recording;
    struct pprof_frames frames;
    VEC(struct pprof_node) nodes;
    bool is_run; /* nodes have several profiles: then the first one shows what was there before */
    uint64_t end_ns;                           /* end of the open bucket */
    struct pprof_cell_list open, open_threads; /* cells of the open bucket */
    size_t cells;                              /* number of cells in all buckets */
    bool is_cumulative[COLUMN_LIMIT];
    bool has_heap, has_live, has_time;
    int64_t live_bytes, live_count; /* now, over all nodes */
    uint64_t labels_left_out, odd_lines, columns_left_out, bad_drops;
    /* number of text profiles that lack lines; number of those whose last line has no line
     * break */
    uint64_t missing, lacks_break;
    double missing_share; /* missing share of the first of them */
    uint64_t period;      /* for heap samples: the largest distance in bytes */
    uint64_t hz;          /* for samples of time */
    struct pprof_column_totals {
        int64_t cpu_samples, waits, wait_ns;
    } totals;
    char label_key[64]; /* key of a label that was left out */
};

/* `recording` is borrowed.  Returns 0 or -ENOMEM. */
int pprof_series_init(struct pprof_series *series, struct recording *recording);
void pprof_series_fini(struct pprof_series *series);
/* Adds a node.  Its stacks are below a frame with its name; NULL: the only node, without such a
 * frame.  *node is its index. */
int pprof_series_add_node(struct pprof_series *series, const char *name, uint32_t *node);

/* Adds a profile of a node, taken when the recording was `at_ns` old, which must not be before the
 * last one.  Returns 0, -ENOMEM, or -E2BIG if there are more cells than PPROF_SERIES_CELLS_MAX. */
int pprof_series_add(struct pprof_series *series, uint32_t node, uint64_t at_ns,
                     const struct pprof_profile *profile);
/* Closes the last bucket; sets totals, notes and facts of the recording.  Returns 0 or -ENOMEM. */
int pprof_series_finish(struct pprof_series *series);
