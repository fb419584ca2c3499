/* series.h - every metric of a run over time: one pass over all its *.metrics files, by several
 * threads.
 *
 * A series is one name and one set of labels of one node, in any order that the labels were
 * written in.  Time is that of the stamp, or when the node was really asked if the run says it
 * of all its answers; never that of the file.  What is missing stays missing: a point is where a
 * number was. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cluster/runs/run.h"
#include "formats/metrics/exposition.h"

struct series_point {
    uint32_t scrape; /* index */
    uint32_t is_whole;
    union {
        uint64_t whole;
        double real;
    };
};

struct series {
    uint32_t node;
    const struct exposition_series *is;
    /* where its own node tells no type, that of another node which does */
    const struct exposition_family *family;
    /* counts up from the start of the program: by that type; without a type, by how the name
     * ends */
    bool is_cumulative;
    VEC(struct series_point) points; /* by time, at most one per scrape */
};

/* One answer of one node. */
struct scrape {
    const struct run_file *file;
    int64_t time_us;
    double start_s;  /* process_start_time_seconds; NaN: not told */
    bool is_read;    /* there was something in it */
    bool is_restart; /* the process is another than in the answer before, as it says itself */
};

struct series_set {
    const struct run *run;
    VEC(struct scrape) scrapes; /* by node, then time */
    VEC(struct series) series;  /* by name, labels, node */
    VEC(uint32_t) by_node;      /* indexes of series: by node, then name and labels */
    VEC(uint32_t) node_first;   /* by node, and one more: where it begins in by_node */
    VEC(struct exposition *) expositions;
    struct exposition_tally tally; /* of all nodes */
    char *bad_file;                /* where the first bad line is; NULL: none is bad */
    uint64_t unread_files;         /* empty, damaged, or not to be opened */
};

/* Whether a series is wanted; called from several threads. */
typedef bool (*series_wanted_fn)(void *context, const struct exposition_series *series);

/* Reads all metrics of the run; `wanted` NULL: every series.  Returns 0 or -errno with a sentence;
 * files that cannot be read are counted. */
int series_read(struct series_set *set, const struct run *run, series_wanted_fn wanted,
                void *context, struct fault *fault);
void series_fini(struct series_set *set);

double series_value(struct series_point point);
int64_t series_time(const struct series_set *set, struct series_point point);
/* Returns the scrapes of a node: the first, and how many. */
uint32_t series_scrapes_of(const struct series_set *set, uint32_t node, uint32_t *first);

struct series_step {
    double increase; /* NaN: not known, there was nothing before */
    double seconds;  /* it took */
    bool is_reset;   /* the counter began anew: all there is came since then */
};
/* Returns what counter `series` gained up to its point `at`.  One that was not there when the node
 * was asked before, and is now, began at 0. */
struct series_step series_step(const struct series_set *set, const struct series *series,
                               size_t at);

/* Returns the series of this name, as a range: they lie together, by labels, then node. */
size_t series_find(const struct series_set *set, const char *name, const struct series **first);

/* Returns the series of a node, by name and labels: indexes of set->series. */
const uint32_t *series_of_node(const struct series_set *set, uint32_t node, size_t *count);
