/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sites/live_rank.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/stack_match.h"

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
            (struct weight){.key = row->stack, .value = row->value, .count = row->growth};
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

/* Blocks of each row of the rank; the caller frees. */
static int64_t *count_rows(const struct running_rows *rows, const struct rank *rank)
{
    uint64_t *counts = calloc(rank->rows.count + 1, sizeof(*counts));
    for (size_t i = 0; counts && i < rows->rows.count; i++)
        counts[rank->row_of_weight[i]] += (uint64_t)rows->rows.items[i].count;
    return (int64_t *)counts;
}

static int list_rows(const struct running_rows *rows, enum live_order order, struct live_rank *live)
{
    int64_t *counts = count_rows(rows, &live->rank);
    int err = counts ? 0 : -ENOMEM;
    for (size_t i = 0; i < live->rank.rows.count && !err; i++) {
        const struct rank_row *site = &live->rank.rows.items[i];
        struct live_row const row = {site, site->self_value, counts[i], site->self_count};
        if (!row.value && !row.growth && !row.count)
            continue; /* functions that are only callers have nothing of their own */
        err = vec_push(&live->rows, row) ? 0 : -ENOMEM;
    }
    free(counts);
    if (live->rows.count)
        qsort_r(live->rows.items, live->rows.count, sizeof(struct live_row), compare_rows, &order);
    return err;
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
        err = stack_match_pattern(recording, question->filter, &codes, NULL);
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
