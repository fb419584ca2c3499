/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/diff_tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void add_values(struct diff_values *to, const struct diff_values *more)
{
    to->before = (int64_t)((uint64_t)to->before + (uint64_t)more->before);
    to->after = (int64_t)((uint64_t)to->after + (uint64_t)more->after);
    to->before_count = (int64_t)((uint64_t)to->before_count + (uint64_t)more->before_count);
    to->after_count = (int64_t)((uint64_t)to->after_count + (uint64_t)more->after_count);
}

/* The rows of both sides with the widths they are drawn in: the newer first, then the older. */
static int list_widths(const struct stack_union *all, double factor, struct weights *widths)
{
    *widths = (struct weights){.metric = all->after.metric, .used = all->after.used};
    if (!vec_reserve(&widths->rows, all->after.rows.count + all->before.rows.count))
        return -ENOMEM;
    vec_each (row, &all->after.rows)
        vec_push(&widths->rows, (struct weight){.key = row->key, .value = llabs(row->value)});
    vec_each (row, &all->before.rows)
        vec_push(
            &widths->rows,
            (struct weight){.key = row->key, .value = llround(factor * (double)llabs(row->value))});
    vec_each (row, &widths->rows)
        widths->total_value += row->value;
    return 0;
}

/* Puts the numbers where their stacks end. */
static void place_rows(const struct stack_union *all, struct diff_tree *tree)
{
    const uint32_t *leaf = tree->tree.leaves.items;
    vec_each (row, &all->after.rows) {
        struct diff_values const values = {.after = row->value, .after_count = row->count};
        add_values(&tree->nodes.items[*leaf++].self, &values);
    }
    vec_each (row, &all->before.rows) {
        struct diff_values const values = {.before = row->value, .before_count = row->count};
        add_values(&tree->nodes.items[*leaf++].self, &values);
    }
}

static void sum_and_judge(struct diff_tree *tree)
{
    vec_each (node, &tree->nodes)
        node->all = node->self;
    for (size_t i = tree->nodes.count; i-- > 0;) { /* a child comes after its parent */
        struct diff_node *node = &tree->nodes.items[i];
        double const own = diff_noise_change(&tree->noise, &node->self);
        *(own > 0 ? &tree->grown : &tree->shrunk) += fabs(own);
        node->change = diff_noise_judge(&tree->noise, &node->all);
        if (i > 0)
            add_values(&tree->nodes.items[tree->tree.nodes.items[i].parent].all, &node->all);
    }
}

int diff_tree_build(const struct stack_union *all, const struct diff_noise *noise, bool bottom_up,
                    struct diff_tree *tree)
{
    struct weights widths;
    *tree = (struct diff_tree){.noise = *noise, .unit = all->after.metric->unit};
    int err = list_widths(all, noise->factor, &widths);
    if (!err)
        err = call_tree_build(all->recording, &widths, bottom_up, MERGE_FUNCTION, &tree->tree);
    weights_fini(&widths);
    if (!err && !vec_reserve(&tree->nodes, tree->tree.nodes.count))
        err = -ENOMEM;
    if (err) {
        diff_tree_fini(tree);
        return err;
    }
    for (size_t i = 0; i < tree->tree.nodes.count; i++)
        vec_push(&tree->nodes, (struct diff_node){0});
    place_rows(all, tree);
    sum_and_judge(tree);
    return 0;
}

void diff_tree_fini(struct diff_tree *tree)
{
    call_tree_fini(&tree->tree);
    vec_free(&tree->nodes);
}
