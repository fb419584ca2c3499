/* shape_sums.h - inside `analyze`: the sums of one question over the call shape of a recording.
 *
 *     struct shape_sums sums;
 *     shape_sums_make(&sums, recording, weights, &question);
 *     … sums.totals[group] …
 *     shape_sums_fini(&sums); */
#pragma once

#include "analyze/trees/call_shape.h"

struct group_total {
    int64_t value, count, spread;
};

struct shape_sums {
    struct recording *recording;
    struct shape_question question;
    const struct call_shape *shape;
    struct frame_kinds *kinds;
    uint32_t *leaves; /* For each row of the weights: the shape's node where the stack ends. */
    bool *is_used;    /* For each node: a stack of the weights goes through it. */
    struct group_total *totals; /* For each group of question.merge: all stacks through it. */
};

/* `question` gives everything except shows_allocator, which follows from the metric.  Returns 0,
 * or -ENOMEM with nothing to free. */
int shape_sums_make(struct shape_sums *sums, struct recording *recording,
                    const struct weights *weights, const struct shape_question *question);
void shape_sums_fini(struct shape_sums *sums);

static inline const struct shape_groups *shape_sums_groups(const struct shape_sums *sums)
{
    return &sums->shape->groups[sums->question.merge];
}

/* The line of a node of the shape.  Not for the root. */
static inline struct frame_line *shape_sums_line(const struct shape_sums *sums, uint32_t node)
{
    return &sums->kinds->lines.items[pair_second(sums->shape->nodes.pairs.items[node])];
}
