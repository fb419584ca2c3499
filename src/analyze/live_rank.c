/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/live_rank.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stack_match.h"

/* A rank has two numbers per row: here they are the value and the growth, so that a site that has
 * given everything back has a row, too.  Counts are added up beside. */
static int make_weights(const struct running_rows *rows, const struct metric *metric,
                        struct weights *weights)
{
    *weights = (struct weights){.metric = metric,
                                .total_value = rows->value,
                                .total_count = rows->growth,
                                .used = TIME_ALL};
    if (!vec_reserve(&weights->rows, rows->rows.count))
        return -ENOMEM;
    for (size_t i = 0; i < rows->rows.count; i++) {
        const struct running_row *row = &rows->rows.items[i];
        weights->rows.items[weights->rows.count++] =
            (struct weight){row->stack, row->value, row->growth};
    }
    return 0;
}

static int compare_falling(int64_t a, int64_t b)
{
    return a > b ? -1 : a < b;
}

static int compare_rows(const void *left, const void *right, void *order)
{
    const struct live_row *a = left, *b = right;
    int result = 0;
    if (*(enum live_order *)order == LIVE_BY_GROWTH)
        result = compare_falling(a->growth, b->growth);
    else if (*(enum live_order *)order == LIVE_BY_COUNT)
        result = compare_falling(a->count, b->count);
    if (!result)
        result = compare_falling(a->value, b->value);
    return result ? result : a->site < b->site ? -1 : a->site > b->site;
}

static int list_rows(const struct running_rows *rows, enum live_order order, struct live_rank *live)
{
    size_t const count = live->rank.rows.count;
    if (!vec_reserve(&live->rows, count))
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct rank_row *site = &live->rank.rows.items[i];
        live->rows.items[i] =
            (struct live_row){site, site->self_value, 0, .growth = site->self_count};
    }
    for (size_t i = 0; i < rows->rows.count; i++) {
        struct live_row *row = &live->rows.items[live->rank.row_of_weight[i]];
        row->count = (int64_t)((uint64_t)row->count + (uint64_t)rows->rows.items[i].count);
    }
    for (size_t i = 0; i < count;
         i++) { /* functions that are only callers have nothing of their own */
        struct live_row const row = live->rows.items[i];
        if (row.value || row.growth || row.count)
            live->rows.items[live->rows.count++] = row;
    }
    if (live->rows.count)
        qsort_r(live->rows.items, live->rows.count, sizeof(struct live_row), compare_rows, &order);
    return 0;
}

/* Sums up the whole, then what matches. */
static int weigh(struct recording *recording, const struct running *running,
                 const struct live_question *question, struct running_rows *rows,
                 struct live_rank *live)
{
    uint32_t *codes = NULL;
    int err = running_weigh(running, question->metric, NULL, rows);
    if (err)
        return err;
    live->whole_value = rows->value;
    if (question->filter) {
        running_rows_fini(rows);
        err = stack_match_regex(recording, question->filter, &codes);
        if (!err)
            err = running_weigh(running, question->metric, codes, rows);
        free(codes);
    }
    live->value = rows->value;
    live->count = rows->count;
    live->growth = rows->growth;
    return err;
}

int live_rank_build(struct recording *recording, const struct running *running,
                    const struct live_question *question, struct live_rank *live)
{
    struct running_rows rows = {0};
    struct weights weights = {0};
    memset(live, 0, sizeof(*live));
    int err = weigh(recording, running, question, &rows, live);
    if (!err)
        err = make_weights(&rows, question->metric, &weights);
    if (!err)
        err = rank_build(recording, &weights, question->by, &live->rank);
    if (!err) {
        err = list_rows(&rows, question->order, live);
        if (err)
            live_rank_fini(live);
    }
    weights_fini(&weights);
    running_rows_fini(&rows);
    return err;
}

void live_rank_fini(struct live_rank *live)
{
    rank_fini(&live->rank);
    vec_free(&live->rows);
}
