/* node_rows.h - /api/nodes: the memory of several nodes or recordings over time, with one row
 * each. */
#pragma once

#include "base/json_out.h"
#include "cluster/ram/ram.h"
#include "analyze/growth/growth.h"
#include "serve/targets/target_list.h"

#define NODE_POINTS      240
#define NODE_POINTS_MOST 20000

struct node_question {
    uint64_t from_ns, to_ns; /* time range of the growth */
    const char *column;      /* column whose values are wanted; NULL: the default */
    uint64_t points;         /* maximum number of its values */
};

/* One column of one node, over time. */
struct node_curve {
    const char *name;
    size_t points;            /* known values in the time range; all fields below are of these */
    int64_t first, last, max; /* RAM_NONE without points */
    struct growth growth;
};
void node_curve_write(struct json_out *json, const struct node_curve *curve);

/* node_step returns n, so that every n-th of `count` values are at most `points`.  The others write
 * a key with the times (in ns) or values: each is the last known value since the one before; null
 * if there is none. */
size_t node_step(size_t count, uint64_t points);
void node_times_write(struct json_out *json, const int64_t *times_ns, size_t count, size_t step);
void node_values_write(struct json_out *json, const int64_t *values, size_t count, size_t step);

/* Write the whole answer without its braces.  Return 0 or -errno with a sentence; -EINVAL if there
 * is no such column. */
int node_rows_write_run(struct json_out *json, const struct node_question *question,
                        struct served_run *run, const struct target_list *served,
                        struct fault *fault);
int node_rows_write_recordings(struct json_out *json, const struct node_question *question,
                               const struct target_list *served, struct fault *fault);
