/* side_by_side.h - several metrics of one recording in one list, or one tree: a column each, and
 * what one is per unit of its neighbour. */
#pragma once

#include "analyze/sites/rank.h"
#include "base/pattern/pattern.h"

#define SIDE_MAX 6 /* metrics at a time: more do not fit on a line */

struct side_question {
    const struct metric *metrics[SIDE_MAX];
    unsigned count;
    unsigned sort; /* the metric that orders the rows */
    struct time_range range;
    enum grouping by;             /* BY_FUNCTION, BY_MODULE, BY_LINE or BY_THREAD */
    const struct pattern *filter; /* NULL: all stacks; not with BY_THREAD */
};

struct side_value {
    int64_t self_value, self_count, total_value, total_count;
};

struct side_row {
    string_id function, module, file; /* all empty for what has no stack */
    uint32_t line, thread;
    struct side_value values[SIDE_MAX]; /* by metric */
};

struct side_node {
    string_id function, module;
    struct side_value values[SIDE_MAX];
    uint32_t parent, first_child, next_sibling; /* 0: none */
};

struct side_by_side {
    struct side_question question;
    struct side_column {
        int64_t whole_value, whole_count; /* before the filter: what shares are shares of */
        int64_t value, count;             /* of the stacks that match */
        struct time_range used;
    } columns[SIDE_MAX];
    /* by |self| of the sort metric, then |total|; then of the others; then by name */
    VEC(struct side_row) rows;
    /* from the outermost; tree[0] is all; not BY_THREAD; children sorted by |total| */
    VEC(struct side_node) tree;
};

/* 0, or -errno with a sentence.  Call side_by_side_fini after success. */
int side_by_side_build(struct recording *recording, const struct side_question *question,
                       struct side_by_side *sides, struct fault *fault);
void side_by_side_fini(struct side_by_side *sides);

/* What two metrics say together.  The one that is time divides, or the one that is calls, or
 * else the first. */
enum side_ratio_kind {
    SIDE_PER_SECOND, /* bytes or calls for each second */
    SIDE_EACH,       /* bytes for each call */
    SIDE_TIMES,      /* of one unit: a plain number */
};
struct side_ratio {
    enum side_ratio_kind kind;
    unsigned above, below; /* metrics: above / below */
    char unit[80];         /* "bytes/s", "calls/s", "bytes/call", "" */
};
struct side_ratio side_ratio_of(const struct side_question *question,
                                unsigned left); /* and its right neighbour */
/* Of the totals; NAN where there is nothing to divide by. */
double side_ratio_value(const struct side_ratio *ratio, const struct side_value *values);
