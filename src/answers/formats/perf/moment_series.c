/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/moment_series.h"

#include <errno.h>
#include <stdlib.h>

#include "store/write/coarsen.h"

#define LAST_BUCKET_NS UINT64_C(1000000) /* the least that a recording takes */
#define BUCKETS_SHARE  16384u            /* no bucket is shorter than this part of all the time */
#define TOTAL_MAX      (INT64_MAX / 4)

static size_t bytes_of(const struct bucket *bucket)
{
    return (bucket->cell_count + bucket->thread_cell_count) * sizeof(struct cell) +
           bucket->moment_count * sizeof(struct moment) + sizeof(*bucket);
}

static int compare_moments(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->stack < b->stack ? -1 : a->stack > b->stack;
}

/* Sums those of the same thread, column and stack; they have no instant then. */
static size_t sum_moments(struct moment *moments, size_t count)
{
    size_t kept = 0;
    if (count == 0)
        return 0;
    qsort(moments, count, sizeof(*moments), compare_moments);
    for (size_t i = 0; i < count; i++) {
        struct moment moment = moments[i];
        moment.after_ns = MOMENT_TIMELESS;
        if (kept > 0 && compare_moments(&moments[kept - 1], &moment) == 0) {
            moments[kept - 1].count += moment.count;
            moments[kept - 1].value += moment.value;
        } else {
            moments[kept++] = moment;
        }
    }
    return kept;
}

/* Into *list, which is given back to its size. */
static int sum_cells(struct cell **list, size_t *count, const struct cell *more, size_t more_count)
{
    struct cell_sum sum = {0};
    int err = cell_sum_add(&sum, *list, *count);
    if (err == 0)
        err = cell_sum_add(&sum, more, more_count);
    if (err == 0)
        err = cell_sum_finish(&sum);
    if (err < 0) {
        cell_sum_fini(&sum);
        return err;
    }
    free(*list);
    struct cell *fitting = realloc(sum.list.items, (sum.list.count + 1) * sizeof(struct cell));
    *list = fitting ? fitting : sum.list.items;
    *count = sum.list.count;
    vec_free(&sum.scratch);
    return 0;
}

/* The second becomes part of the first. */
static int join(struct bucket *first, struct bucket *second)
{
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): each bucket has moments of its own */
    struct moment *moments = realloc(
        first->moments, (first->moment_count + second->moment_count + 1) * sizeof(*moments));
    if (!moments)
        return -ENOMEM;
    first->moments = moments;
    if (sum_cells(&first->cells, &first->cell_count, second->cells, second->cell_count) < 0 ||
        sum_cells(&first->thread_cells, &first->thread_cell_count, second->thread_cells,
                  second->thread_cell_count) < 0)
        return -ENOMEM;
    if (second->moment_count)
        memcpy(moments + first->moment_count, second->moments,
               second->moment_count * sizeof(*moments));
    first->moment_count = sum_moments(moments, first->moment_count + second->moment_count);
    coarsen_absorb(first, second);
    free(second->cells);
    free(second->thread_cells);
    free(second->moments);
    return 0;
}

/* Neighbours become one until half of the room is free. */
static int keep_small(struct moment_series *series)
{
    struct recording *recording = series->recording;
    size_t const most = series->bytes_max ? series->bytes_max : MOMENT_SERIES_BYTES_MAX;
    int err = 0;
    if (series->bytes <= most)
        return 0;
    while (series->bytes > most / 2 && recording->buckets.count > 1) {
        size_t kept = 0;
        struct bucket *buckets = recording->buckets.items;
        series->bytes = 0;
        for (size_t i = 0; i < recording->buckets.count; i += 2) {
            bool const is_pair = i + 1 < recording->buckets.count;
            if (is_pair && err == 0)
                err = join(&buckets[i], &buckets[i + 1]);
            series->bytes += bytes_of(&buckets[i]);
            buckets[kept++] = buckets[i];
            if (is_pair && err < 0) /* each is to be freed once */
                buckets[kept++] = buckets[i + 1];
        }
        recording->buckets.count = kept;
        if (err < 0)
            return err;
        recording->quality.coarsened = true;
    }
    return 0;
}

static struct cell *detach_cells(struct cell_sum *sum, size_t *count)
{
    struct cell *cells = sum->list.items;
    *count = sum->list.count;
    vec_free(&sum->scratch);
    *sum = (struct cell_sum){0};
    return cells;
}

static int close_bucket(struct moment_series *series, uint64_t end_ns)
{
    struct recording *recording = series->recording;
    struct bucket bucket = {
        .begin_ns = series->begin_ns, .end_ns = end_ns, .gauges = {-1, -1, -1, -1}, .rss_max = -1};
    if (!vec_reserve(&recording->buckets, 1) || cell_sum_finish(&series->stacks) < 0 ||
        cell_sum_finish(&series->threads) < 0)
        return -ENOMEM;
    bucket.cells = detach_cells(&series->stacks, &bucket.cell_count);
    bucket.thread_cells = detach_cells(&series->threads, &bucket.thread_cell_count);
    bucket.moments = series->moments.items;
    bucket.moment_count = series->moments.count;
    series->moments.items = NULL;
    series->moments.count = series->moments.room = 0;
    recording->buckets.items[recording->buckets.count++] = bucket;
    series->bytes += bytes_of(&bucket);
    series->begin_ns = end_ns;
    return keep_small(series);
}

static bool is_full(const struct moment_series *series, uint64_t now_ns)
{
    uint64_t const ladder = ladder_bucket_ns(now_ns), share = now_ns / BUCKETS_SHARE;
    return now_ns - series->begin_ns >= (ladder > share ? ladder : share);
}

int moment_series_add(struct moment_series *series, const struct sampled *sample)
{
    uint64_t time_ns = sample->time_ns < INT64_MAX ? sample->time_ns : INT64_MAX;
    if (sample->value < 0 || sample->value > TOTAL_MAX - series->total)
        return -ERANGE;
    if (time_ns < series->now_ns)
        time_ns = series->now_ns;
    series->now_ns = time_ns;
    if (is_full(series, time_ns) && close_bucket(series, time_ns) < 0)
        return -ENOMEM;
    uint16_t const column = (uint16_t)sample->column, count = (uint16_t)sample->count;
    struct cell const by_stack[] = {{sample->stack, column, sample->value},
                                    {sample->stack, count, 1}};
    struct cell const by_thread[] = {{sample->thread, column, sample->value},
                                     {sample->thread, count, 1}};
    struct moment const moment = {.after_ns = time_ns - series->begin_ns,
                                  .thread = sample->thread,
                                  .stack = sample->stack,
                                  .count = 1,
                                  .column = column,
                                  .value = sample->value};
    size_t const cells = sample->count == COL_NONE ? 1 : 2;
    if (!vec_push(&series->moments, moment) || cell_sum_add(&series->stacks, by_stack, cells) < 0 ||
        cell_sum_add(&series->threads, by_thread, cells) < 0)
        return -ENOMEM;
    series->total += sample->value;
    return 0;
}

int moment_series_finish(struct moment_series *series)
{
    uint64_t end_ns = series->now_ns + 1; /* so that the last sample lies before the end */
    if (end_ns < LAST_BUCKET_NS)
        end_ns = LAST_BUCKET_NS;
    series->recording->duration_ns = end_ns;
    return close_bucket(series, end_ns);
}

void moment_series_fini(struct moment_series *series)
{
    cell_sum_fini(&series->stacks);
    cell_sum_fini(&series->threads);
    vec_free(&series->moments);
}

void moment_series_rename(struct recording *recording, const stack_id *renamed)
{
    vec_each (bucket, &recording->buckets) {
        for (size_t i = 0; i < bucket->cell_count; i++)
            bucket->cells[i].key = renamed[bucket->cells[i].key];
        for (size_t i = 0; i < bucket->moment_count; i++)
            bucket->moments[i].stack = renamed[bucket->moments[i].stack];
    }
}
