/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sites/site_callers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/invariant.h"

/* The first level in the order asked for: those that are chosen are marked, others counted. */
static int choose(const struct call_tree *sites, const struct site_question *question,
                  bool *is_chosen, struct site_callers *callers)
{
    VEC(uint32_t) list = {0};
    uint64_t chosen = 0;
    for (uint32_t i = sites->nodes.items[0].first_child; i; i = sites->nodes.items[i].next_sibling)
        if (!vec_push(&list, i)) {
            vec_free(&list);
            return -ENOMEM;
        }
    for (size_t i = 0; i < list.count; i++) {
        uint32_t const site = list.items[question->reverse ? list.count - 1 - i : i];
        int64_t const value = sites->nodes.items[site].value;
        is_chosen[site] = chosen < question->top && !question->is_small(question->context, value);
        chosen += is_chosen[site];
        callers->left_out += !is_chosen[site];
        callers->left_out_value += is_chosen[site] ? 0 : value;
    }
    vec_free(&list);
    return 0;
}

/* The site of a node: inlined functions can make a site more than one level deep. */
static uint32_t site_of(const struct call_tree *sites, uint32_t node)
{
    while (node && sites->nodes.items[node].parent)
        node = sites->nodes.items[node].parent;
    return node;
}

/* The rows of chosen sites, and those without any. */
static int keep_rows(const struct weights *weights, const struct call_tree *sites,
                     const bool *is_chosen, struct weights *kept)
{
    INVARIANT(sites->leaves.count == weights->rows.count);
    *kept = (struct weights){.metric = weights->metric, .used = weights->used};
    for (size_t i = 0; i < weights->rows.count; i++) {
        const struct weight *row = &weights->rows.items[i];
        uint32_t const site = site_of(sites, sites->leaves.items[i]);
        if (site && !is_chosen[site])
            continue;
        if (!vec_push(&kept->rows, *row))
            return -ENOMEM;
        kept->total_value = (int64_t)((uint64_t)kept->total_value + (uint64_t)row->value);
        kept->total_count = (int64_t)((uint64_t)kept->total_count + (uint64_t)row->count);
        kept->total_spread = (int64_t)((uint64_t)kept->total_spread + (uint64_t)row->spread);
    }
    return 0;
}

int site_callers_build(struct recording *recording, const struct weights *weights,
                       const struct site_question *question, struct site_callers *callers)
{
    struct call_tree sites;
    struct weights kept = {0};
    *callers = (struct site_callers){0};
    int err = call_tree_build_callers(recording, weights, question->merge, 1, &sites);
    if (err)
        return err;
    bool *is_chosen = calloc(sites.nodes.count, sizeof(*is_chosen));
    err = is_chosen ? choose(&sites, question, is_chosen, callers) : -ENOMEM;
    if (!err)
        err = keep_rows(weights, &sites, is_chosen, &kept);
    call_tree_fini(&sites);
    free(is_chosen);
    if (!err)
        err = call_tree_build_main_callers(recording, &kept, question->merge, question->max_levels,
                                           question->least_share, &callers->tree);
    weights_fini(&kept);
    return err;
}

void site_callers_fini(struct site_callers *callers)
{
    call_tree_fini(&callers->tree);
}
