/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/weigh.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sums/bucket_walk.h"
#include "analyze/sums/moment_cut.h"
#include "base/human.h"
#include "base/invariant.h"

enum keyed_by { BY_STACKS, BY_THREADS };

/* Unsigned, so that nonsense in a damaged file wraps instead of trapping. */
struct tally_row {
    uint64_t value, count;
};

/* Sums by key.  Of all stacks that a recording has, those that anything was booked to are some,
 * as those between them and the outermost frame are stacks too: a key has a number of four bytes,
 * and only what was met has a row. */
struct tally {
    uint32_t *row_of_key; /* + 1; 0: none yet */
    VEC(struct tally_row) rows;
    uint64_t *spreads; /* By key; NULL where nothing was estimated. */
    bool is_full;      /* Out of memory: the sums are not whole. */
    size_t key_limit;
    enum keyed_by keyed_by;
    int8_t value_sign[COLUMN_LIMIT], count_sign[COLUMN_LIMIT], spread_sign[COLUMN_LIMIT];
    bool is_added[COLUMN_LIMIT];
    enum column moments; /* Of the metric; they cut buckets at the edge of `asked`. */
    struct time_range asked;
    struct moment_edges edges;
};

static void tally_fini(struct tally *tally)
{
    free(tally->row_of_key);
    vec_free(&tally->rows);
    free(tally->spreads);
}

/* The row of a key below the limit; NULL when out of memory. */
static struct tally_row *find_row(struct tally *tally, uint32_t key)
{
    INVARIANT(key < tally->key_limit);
    uint32_t const known = tally->row_of_key[key];
    if (known)
        return &tally->rows.items[known - 1];
    if (!vec_push(&tally->rows, (struct tally_row){0, 0})) {
        tally->is_full = true;
        return NULL;
    }
    tally->row_of_key[key] = (uint32_t)tally->rows.count;
    return &tally->rows.items[tally->rows.count - 1];
}

static int tally_init(struct tally *tally, const struct recording *recording,
                      const struct metric *metric, enum keyed_by keyed_by)
{
    memset(tally, 0, sizeof(*tally));
    tally->keyed_by = keyed_by;
    tally->moments = metric_moments(metric);
    tally->key_limit = keyed_by == BY_STACKS ? (size_t)stack_table_count(recording->stacks) + 1
                                             : recording->threads.count;
    tally->count_sign[metric->count_plus] = 1;
    tally->count_sign[metric->count_minus] = -1;
    for (unsigned i = COL_NONE + 1; i < COLUMN_LIMIT; i++)
        tally->value_sign[i] = (int8_t)metric_sign(metric, i);
    if (recording->quality.has_spread)
        for (unsigned i = COL_HEAP_SPREAD; i <= COL_HEAP_SPREAD_FREED; i++)
            tally->spread_sign[i] = (int8_t)metric_spread_sign(metric, i);
    if (metric->kind == METRIC_PINNED) /* The cells of a pin are differences already. */
        tally->value_sign[metric->minus] = tally->count_sign[metric->count_minus] = 0;
    tally->count_sign[COL_NONE] = 0;
    INVARIANT(tally->value_sign[COL_NONE] == 0);
    for (unsigned i = 0; i < COLUMN_LIMIT; i++)
        tally->is_added[i] = tally->value_sign[i] || tally->count_sign[i] || tally->spread_sign[i];
    tally->row_of_key = calloc(tally->key_limit + 1, sizeof(*tally->row_of_key));
    if (recording->quality.has_spread)
        tally->spreads = calloc(tally->key_limit + 1, sizeof(*tally->spreads));
    if (tally->row_of_key && (tally->spreads || !recording->quality.has_spread))
        return 0;
    tally_fini(tally);
    return -ENOMEM;
}

static uint64_t signed_by(int sign, uint64_t value)
{
    return sign > 0 ? value : -value;
}

static void add_cells(struct tally *tally, const struct cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct cell *cell = &cells[i];
        if (cell->key >= tally->key_limit || cell->column >= COLUMN_LIMIT)
            continue;
        uint64_t const value = (uint64_t)cell->value;
        int const value_sign = tally->value_sign[cell->column];
        int const count_sign = tally->count_sign[cell->column];
        if (value_sign || count_sign) {
            struct tally_row *row = find_row(tally, cell->key);
            if (!row)
                return;
            row->value += value_sign ? signed_by(value_sign, value) : 0;
            row->count += count_sign ? signed_by(count_sign, value) : 0;
        }
        if (tally->spread_sign[cell->column])
            tally->spreads[cell->key] += signed_by(tally->spread_sign[cell->column], value);
    }
}

static void add_moments(struct tally *tally, const struct bucket *bucket)
{
    moment_edges_note(&tally->edges, bucket, tally->asked);
    for (size_t i = 0; i < bucket->moment_count; i++) {
        const struct moment *moment = &bucket->moments[i];
        uint32_t const key = tally->keyed_by == BY_STACKS ? moment->stack : moment->thread;
        if (key >= tally->key_limit || !moment_is_in(bucket, moment, tally->moments, tally->asked))
            continue;
        struct tally_row *row = find_row(tally, key);
        if (!row)
            return;
        row->value += (uint64_t)moment->value;
        row->count += moment->count;
    }
}

static void add_bucket(void *into, const struct bucket *bucket)
{
    struct tally *tally = into;
    if (moment_cuts(bucket, tally->moments, tally->asked))
        add_moments(tally, bucket);
    else if (tally->keyed_by == BY_STACKS)
        add_cells(tally, bucket->cells, bucket->cell_count);
    else
        add_cells(tally, bucket->thread_cells, bucket->thread_cell_count);
}

static int tally_pin(struct tally *tally, const struct recording *recording,
                     const struct metric *metric, struct time_range *range, struct fault *fault)
{
    char peak[HUMAN_MAX];
    bool const is_pool = metric_is_of_pools(metric);
    const char *level = is_pool ? "pool.live" : "heap.live";
    const struct totals *totals = is_pool ? &recording->pools : &recording->heap;
    const struct pin *pin = recording_pin(recording, is_pool ? PIN_POOL_PEAK : PIN_PEAK);
    uint64_t const time_ns = pin ? pin->time_ns : totals->peak_time_ns;

    if (range->to_ns < time_ns)
        return fault_set(fault, -ERANGE,
                         "the peak came later, at %s: choose %s for the chosen time",
                         human_duration(time_ns, peak), level);
    *range = (struct time_range){time_ns, time_ns};
    if (!pin)
        return totals->peak_bytes == 0
                   ? 0
                   : fault_set(fault, -ENODATA,
                               "the recording was cut off before the call stacks of its peak were "
                               "written: choose %s instead",
                               level);
    if (tally->keyed_by == BY_STACKS)
        add_cells(tally, pin->cells, pin->cell_count);
    else
        add_cells(tally, pin->thread_cells, pin->thread_cell_count);
    return 0;
}

/* In the order of keys. */
static int collect_rows(struct tally *tally, struct weights *weights)
{
    size_t rows = 0;
    vec_each (row, &tally->rows)
        rows += row->value || row->count;
    if (tally->is_full || !vec_reserve(&weights->rows, rows))
        return -ENOMEM;

    uint64_t total_value = 0, total_count = 0, total_spread = 0;
    for (size_t key = 0; key < tally->key_limit && weights->rows.count < rows; key++) {
        uint32_t const known = tally->row_of_key[key];
        if (!known)
            continue;
        struct tally_row const row = tally->rows.items[known - 1];
        uint64_t const spread = tally->spreads ? tally->spreads[key] : 0;
        if (!row.value && !row.count)
            continue;
        total_value += row.value;
        total_count += row.count;
        total_spread += spread;
        vec_push(&weights->rows, (struct weight){(uint32_t)key, (int64_t)row.value,
                                                 (int64_t)row.count, (int64_t)spread});
    }
    INVARIANT(weights->rows.count == rows);
    weights->total_value = (int64_t)total_value;
    weights->total_count = (int64_t)total_count;
    weights->total_spread = (int64_t)total_spread;
    return 0;
}

static int weigh(struct recording *recording, enum keyed_by keyed_by, struct time_range range,
                 struct weights *weights, struct fault *fault)
{
    INVARIANT(weights->metric && weights->rows.count == 0);
    struct tally tally;
    int err = tally_init(&tally, recording, weights->metric, keyed_by);
    if (err)
        return fault_set(fault, err, "out of memory while adding up %s", weights->metric->name);

    tally.asked = range;
    if (weights->metric->kind == METRIC_PINNED)
        err = tally_pin(&tally, recording, weights->metric, &range, fault);
    else
        err = bucket_walk_sums(recording, &range, (struct bucket_visitor){add_bucket, &tally},
                               tally.is_added, fault);
    if (!err) {
        weights->used = moment_edges_used(&tally.edges, tally.asked, range);
        err = collect_rows(&tally, weights);
        if (err)
            fault_set(fault, err, "out of memory while adding up %s", weights->metric->name);
    }
    tally_fini(&tally);
    if (err)
        weights_fini(weights);
    return err;
}

int weigh_stacks(struct recording *recording, const struct metric *metric, struct time_range range,
                 struct weights *weights, struct fault *fault)
{
    *weights = (struct weights){.metric = metric};
    return weigh(recording, BY_STACKS, range, weights, fault);
}

int weigh_threads(struct recording *recording, const struct metric *metric, struct time_range range,
                  struct weights *weights, struct fault *fault)
{
    *weights = (struct weights){.metric = metric};
    return weigh(recording, BY_THREADS, range, weights, fault);
}

void weights_fini(struct weights *weights)
{
    vec_free(&weights->rows);
}
