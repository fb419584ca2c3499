/* series_parts.h - inside the series of a run: what one thread has read of one node. */
#pragma once

#include "cluster/metrics/series.h"

struct series_column {
    VEC(struct series_point) points;
    bool is_decided, is_wanted, is_start;
};
struct series_part {
    uint32_t node;
    struct exposition *exposition;
    VEC(struct series_column) columns; /* by series of the exposition */
    const struct run_file *bad_file;   /* first file with a bad line */
};
typedef VEC(struct series_part) series_part_list;

/* Reads all scrapes of the set; parts are in the order of scrapes.  Returns 0 or -ENOMEM. */
int series_read_parts(struct series_set *set, series_wanted_fn wanted, void *context,
                      series_part_list *parts);
void series_parts_fini(series_part_list *parts);

/* Decides for every series whether it counts up.  The series must be sorted by name. */
void series_settle_types(struct series_set *set);
