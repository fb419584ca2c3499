/* series.h - all metrics of a run over time, read from all its *.metrics files once, by several
 * threads.
 *
 * A series is one name with one set of labels of one node; the order of the labels does not matter.
 * The time of a point is its stamp, or the time of the request if the run has that for all answers
 * of the node; never the time of the file.  There are only points for numbers that exist: nothing
 * is filled in. */
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
    /* if the node gives no type, the family of another node that gives one */
    const struct exposition_family *family;
    /* counts up from the start of the program: depends on the type; without a type, on the end of
     * the name */
    bool is_cumulative;
    VEC(struct series_point) points; /* sorted by time, at most one per scrape */
};

/* One answer of one node. */
struct scrape {
    const struct run_file *file;
    int64_t time_us;
    double start_s;  /* process_start_time_seconds; NaN: not given */
    bool is_read;    /* the answer had something in it */
    bool is_restart; /* the node says that its process is another one than in the answer before */
};

struct series_set {
    const struct run *run;
    VEC(struct scrape) scrapes; /* sorted by node, then time */
    VEC(struct series) series;  /* sorted by name, labels, node */
    VEC(uint32_t) by_node;      /* indices of series, sorted by node, then name and labels */
    /* by node: its first index in by_node; has one more item at the end */
    VEC(uint32_t) node_first;
    VEC(struct exposition *) expositions;
    struct exposition_tally tally; /* over all nodes */
    char *bad_file;                /* file with the first bad line; NULL: no line is bad */
    uint64_t unread_files;         /* files that are empty, damaged, or cannot be opened */
};

/* Callback: whether a series is wanted.  Called from several threads. */
typedef bool (*series_wanted_fn)(void *context, const struct exposition_series *series);

/* Reads all metrics of the run; `wanted` NULL: every series.  Files that cannot be read are
 * counted.  Returns 0 or -errno with a sentence. */
int series_read(struct series_set *set, const struct run *run, series_wanted_fn wanted,
                void *context, struct fault *fault);
void series_fini(struct series_set *set);

double series_value(struct series_point point);
int64_t series_time(const struct series_set *set, struct series_point point);
/* Finds the scrapes of a node, as a range: *first is the first.  Returns their number. */
uint32_t series_scrapes_of(const struct series_set *set, uint32_t node, uint32_t *first);

struct series_step {
    double increase; /* NaN: not known, because there is no value before */
    double seconds;  /* time since the value before */
    bool is_reset;   /* the counter was reset: `increase` is since the reset */
};
/* Returns the increase of a counter at its point `at`.  A counter that the answer before did not
 * have began at 0. */
struct series_step series_step(const struct series_set *set, const struct series *series,
                               size_t at);

/* Finds the series with this name, as a range sorted by labels, then node.  Returns their
 * number. */
size_t series_find(const struct series_set *set, const char *name, const struct series **first);

/* Returns the series of a node, sorted by name and labels, as indices into set->series. */
const uint32_t *series_of_node(const struct series_set *set, uint32_t node, size_t *count);
