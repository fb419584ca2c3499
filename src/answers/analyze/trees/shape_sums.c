/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/shape_sums.h"

#include <errno.h>
#include <stdlib.h>

/* Unsigned, so that nonsense in a damaged file wraps instead of trapping. */
static void add(struct group_total *to, const struct group_total *more)
{
    to->value = (int64_t)((uint64_t)to->value + (uint64_t)more->value);
    to->count = (int64_t)((uint64_t)to->count + (uint64_t)more->count);
    to->spread = (int64_t)((uint64_t)to->spread + (uint64_t)more->spread);
}

/* Where each row ends; what lies above an end is used, too: a parent comes before its children. */
static void find_leaves(struct shape_sums *sums, const struct weights *weights)
{
    const uint64_t *nodes = sums->shape->nodes.pairs.items;
    for (size_t i = 0; i < weights->rows.count; i++) {
        sums->leaves[i] =
            call_shape_leaf(sums->shape, sums->kinds, sums->recording, weights->rows.items[i].key,
                            sums->question.shows_allocator);
        sums->is_used[sums->leaves[i]] = true;
    }
    for (size_t i = sums->shape->nodes.pairs.count; i-- > 1;)
        if (sums->is_used[i])
            sums->is_used[pair_first(nodes[i])] = true;
}

static void add_up(struct shape_sums *sums, const struct weights *weights)
{
    const struct shape_groups *groups = shape_sums_groups(sums);
    const uint64_t *pairs = groups->groups.pairs.items;
    for (size_t i = 0; i < weights->rows.count; i++) {
        const struct weight *row = &weights->rows.items[i];
        add(&sums->totals[groups->of_node.items[sums->leaves[i]]],
            &(struct group_total){row->value, row->count, row->spread});
    }
    for (size_t i = groups->groups.pairs.count; i-- > 1;)
        add(&sums->totals[pair_first(pairs[i])], &sums->totals[i]);
}

int shape_sums_make(struct shape_sums *sums, struct recording *recording,
                    const struct weights *weights, const struct shape_question *question)
{
    struct call_shape *shape;
    *sums = (struct shape_sums){.recording = recording, .question = *question};
    sums->question.shows_allocator = weights->metric && metric_shows_allocator(weights->metric);
    int const err = call_shape_get(recording, weights, &sums->question, &shape, &sums->kinds);
    if (err)
        return err;
    sums->shape = shape;
    sums->leaves = malloc((weights->rows.count + 1) * sizeof(*sums->leaves));
    sums->is_used = calloc(shape->nodes.pairs.count, sizeof(*sums->is_used));
    sums->totals = calloc(shape_sums_groups(sums)->groups.pairs.count, sizeof(*sums->totals));
    if (!sums->leaves || !sums->is_used || !sums->totals) {
        shape_sums_fini(sums);
        return -ENOMEM;
    }
    find_leaves(sums, weights);
    add_up(sums, weights);
    return 0;
}

void shape_sums_fini(struct shape_sums *sums)
{
    free(sums->leaves);
    free(sums->is_used);
    free(sums->totals);
    call_shape_put(sums->recording);
}
