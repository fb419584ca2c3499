/* node_rows.h - /api/nodes: what each of several nodes or recordings has of memory over time,
 * one row each. */
#pragma once

#include "base/json_out.h"
#include "cluster/ram/ram.h"
#include "analyze/growth/growth.h"
#include "serve/targets/target_list.h"

#define NODE_POINTS      240
#define NODE_POINTS_MOST 20000

struct node_question {
    uint64_t from_ns, to_ns; /* growth is that in between */
    const char *column;      /* whose values are wanted, too; NULL: the usual one */
    uint64_t points;         /* of it, at most */
};

/* One column of one node, over time. */
struct node_curve {
    const char *name;
    size_t points;            /* that are known in the time asked for, as all below */
    int64_t first, last, max; /* RAM_NONE without points */
    struct growth growth;
};
void node_curve_write(struct json_out *json, const struct node_curve *curve);

/* Returns the key with times (in ns) or values at every n-th place of `count`, n so that there are
 * at most `points`: each the last that is known of those since the one before.  null: none is. */
size_t node_step(size_t count, uint64_t points);
void node_times_write(struct json_out *json, const int64_t *times_ns, size_t count, size_t step);
void node_values_write(struct json_out *json, const int64_t *values, size_t count, size_t step);

/* The whole answer but for its braces.  Returns 0 or -errno with a sentence: -EINVAL when there is
 * no such column. */
int node_rows_write_run(struct json_out *json, const struct node_question *question,
                        struct served_run *run, const struct target_list *served,
                        struct fault *fault);
int node_rows_write_recordings(struct json_out *json, const struct node_question *question,
                               const struct target_list *served, struct fault *fault);
