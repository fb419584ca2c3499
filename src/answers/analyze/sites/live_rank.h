/* live_rank.h - what holds most now and what has grown most since the mark, one row per function,
 * line, module or stack. */
#pragma once

#include "analyze/sites/rank.h"
#include "analyze/sums/running.h"
#include "base/pattern/pattern.h"

enum live_order { LIVE_BY_VALUE, LIVE_BY_GROWTH, LIVE_BY_COUNT, LIVE_ORDERS };

struct live_question {
    const struct metric *metric;
    enum grouping by; /* not BY_THREAD */
    enum live_order order;
    const struct pattern *filter; /* NULL: all stacks */
};

struct live_row {
    const struct rank_row *site; /* its names; of its numbers only those below are meant */
    int64_t value, count, growth;
};

struct live_rank {
    struct rank rank;
    VEC(struct live_row) rows;    /* in the order asked for, largest first */
    int64_t value, count, growth; /* of all stacks that match */
    int64_t whole_value;          /* of all stacks: what shares are shares of */
};

/* 0, -ENOMEM, or -EINVAL when the filter is too much work (pattern_check has the sentence).
 * Call live_rank_fini after success. */
int live_rank_build(struct recording *recording, const struct running *running,
                    const struct live_question *question, struct live_rank *live);
void live_rank_fini(struct live_rank *live);
