/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/sites/rank_parts.h"
#include "analyze/trees/shape_sums.h"
#include "analyze/trees/shown_frame.h"

struct lister {
    struct rank *rank;
    struct shape_sums sums;
    uint32_t *row_of_kind; /* + 1; 0: it is in no stack */
    uint32_t stackless;    /* likewise, of what came without any stack */
};

/* Unsigned, so that nonsense in a damaged file wraps instead of trapping. */
static void add(int64_t *sum, int64_t more)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)more);
}

/* Several places of one function: what they do not share is left open. */
static void blur_row(struct rank_row *row, const struct shown_frame *shown)
{
    if (row->file != shown->file || row->line != shown->line)
        row->line = 0;
    if (row->file != shown->file)
        row->file = STRING_EMPTY;
    row->inlined = row->inlined && shown->inlined;
}

static bool add_row(struct lister *lister, const struct shown_frame *shown)
{
    struct rank_row row = {.function = shown->function,
                           .module = shown->module,
                           .file = shown->file,
                           .line = shown->line,
                           .inlined = shown->inlined};
    if (lister->rank->by == BY_MODULE)
        row = (struct rank_row){.function = module_show(lister->sums.recording, shown->module),
                                .module = shown->module};
    return vec_push(&lister->rank->rows, row);
}

/* A row for each kind of lines that is used. */
static int make_rows(struct lister *lister)
{
    const struct shape_sums *sums = &lister->sums;
    bool *is_seen = calloc(sums->kinds->lines.count + 1, sizeof(*is_seen));
    bool fits = is_seen != NULL;
    for (uint32_t i = 1; i < sums->shape->nodes.pairs.count && fits; i++) {
        uint32_t const number = pair_second(sums->shape->nodes.pairs.items[i]);
        if (!sums->is_used[i] || is_seen[number])
            continue;
        const struct frame_line *line = &sums->kinds->lines.items[number];
        uint32_t *row = &lister->row_of_kind[line->kinds[sums->question.merge]];
        is_seen[number] = true;
        if (!*row) {
            fits = add_row(lister, &line->shown);
            *row = (uint32_t)lister->rank->rows.count;
        } else if (lister->rank->by != BY_MODULE) {
            blur_row(&lister->rank->rows.items[*row - 1], &line->shown);
        }
    }
    free(is_seen);
    return fits ? 0 : -ENOMEM;
}

/* A stack counts for the total of a row once, however often the row is in it: where it is
 * outermost. */
static void add_totals(struct lister *lister)
{
    const struct shape_sums *sums = &lister->sums;
    const struct shape_groups *groups = shape_sums_groups(sums);
    for (uint32_t i = 1; i < groups->groups.pairs.count; i++) {
        if (groups->is_again.items[i])
            continue;
        uint32_t const row =
            lister->row_of_kind[shape_kind(groups, sums->kinds, sums->question.merge, i)];
        if (!row)
            continue;
        add(&lister->rank->rows.items[row - 1].total_value, sums->totals[i].value);
        add(&lister->rank->rows.items[row - 1].total_count, sums->totals[i].count);
        add(&lister->rank->rows.items[row - 1].total_spread, sums->totals[i].spread);
    }
}

/* What came without any stack is a row too, or the rows would not add up. */
static bool add_stackless(struct lister *lister, const struct weight *weight)
{
    struct rank *rank = lister->rank;
    if (!lister->stackless && !vec_push(&rank->rows, (struct rank_row){0}))
        return false;
    if (!lister->stackless)
        lister->stackless = (uint32_t)rank->rows.count;
    struct rank_row *row = &rank->rows.items[lister->stackless - 1];
    add(&row->total_value, weight->value);
    add(&row->total_count, weight->count);
    add(&row->total_spread, weight->spread);
    return true;
}

static int add_selves(struct lister *lister, const struct weights *weights)
{
    struct rank *rank = lister->rank;
    rank->row_of_weight = calloc(weights->rows.count + 1, sizeof(uint32_t));
    if (!rank->row_of_weight)
        return -ENOMEM;
    for (size_t i = 0; i < weights->rows.count; i++) {
        const struct weight *weight = &weights->rows.items[i];
        uint32_t const leaf = lister->sums.leaves[i];
        if (!leaf && !add_stackless(lister, weight))
            return -ENOMEM;
        uint32_t const row = leaf ? lister->row_of_kind[shape_sums_line(&lister->sums, leaf)
                                                            ->kinds[lister->sums.question.merge]]
                                  : lister->stackless;
        add(&rank->rows.items[row - 1].self_value, weight->value);
        add(&rank->rows.items[row - 1].self_count, weight->count);
        add(&rank->rows.items[row - 1].self_spread, weight->spread);
        rank->row_of_weight[i] = row - 1;
    }
    return 0;
}

int rank_list_kinds(struct recording *recording, const struct weights *weights, struct rank *rank)
{
    struct lister lister = {.rank = rank};
    struct shape_question const question = {.max_levels = UINT32_MAX,
                                            .merge = rank->by == BY_MODULE     ? MERGE_MODULE
                                                     : rank->by == BY_FUNCTION ? MERGE_FUNCTION
                                                                               : MERGE_LINE};
    int err = shape_sums_make(&lister.sums, recording, weights, &question);
    if (err)
        return err;
    lister.row_of_kind = calloc((size_t)frame_kinds_count(lister.sums.kinds, question.merge) + 1,
                                sizeof(*lister.row_of_kind));
    err = lister.row_of_kind ? make_rows(&lister) : -ENOMEM;
    if (!err) {
        add_totals(&lister);
        err = add_selves(&lister, weights);
    }
    free(lister.row_of_kind);
    shape_sums_fini(&lister.sums);
    return err;
}
