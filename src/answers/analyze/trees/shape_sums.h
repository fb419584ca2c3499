/* shape_sums.h - inside `analyze`: what one question adds up on the shape of a recording.
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
    uint32_t *leaves; /* by row of the weights: the node of the shape where its stack ends */
    bool *is_used;    /* by node: some stack goes through it */
    struct group_total *totals; /* by group of question.merge: of all stacks through it */
};

/* `question` says all but shows_allocator, which the metric says.  0 or -ENOMEM, after which there is nothing to end. */
int shape_sums_make(struct shape_sums *sums, struct recording *recording,
                    const struct weights *weights, const struct shape_question *question);
void shape_sums_fini(struct shape_sums *sums);

static inline const struct shape_groups *shape_sums_groups(const struct shape_sums *sums)
{
    return &sums->shape->groups[sums->question.merge];
}

/* The line of a node of the shape, but for the root. */
static inline struct frame_line *shape_sums_line(const struct shape_sums *sums, uint32_t node)
{
    return &sums->kinds->lines.items[pair_second(sums->shape->nodes.pairs.items[node])];
}
