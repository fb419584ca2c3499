/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/phases.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/sums/bucket_walk.h"
#include "base/invariant.h"

/* The columns of one kind of memory. */
struct phases_family {
    enum column calls, bytes, frees, freed;
};

static struct phases_family family_of(const struct metric *metric)
{
    switch (metric->plus) {
    case COL_MAP_CALLS:
    case COL_MAP_BYTES:
        return (struct phases_family){COL_MAP_CALLS, COL_MAP_BYTES, COL_MAP_FREES, COL_MAP_FREED};
    case COL_REGION_CALLS:
    case COL_REGION_BYTES:
        return (struct phases_family){COL_REGION_CALLS, COL_REGION_BYTES, COL_REGION_FREES,
                                      COL_REGION_FREED};
    default:
        if (metric_is_of_pools(metric))
            return (struct phases_family){COL_POOL_CALLS, COL_POOL_BYTES, COL_POOL_FREES,
                                          COL_POOL_FREED};
        return (struct phases_family){COL_HEAP_CALLS, COL_HEAP_BYTES, COL_HEAP_FREES,
                                      COL_HEAP_FREED};
    }
}

/* Sums from the beginning up to a bucket boundary.  Unsigned, so that nonsense in a damaged file
 * wraps instead of trapping. */
struct point {
    uint64_t time_ns;
    uint64_t value, count, calls, bytes, frees, freed;
    struct gauges gauges; /* Of the bucket that ends here. */
};

struct phases_summing {
    const struct phase_question *question;
    struct phases_family family;
    size_t stack_limit;
    const struct mark_list *marks;
    VEC(struct point) points; /* Sorted by time; the first is the beginning. */
    bool failed;
};

static void add_cell(const struct phases_summing *summing, struct point *sum,
                     const struct cell *cell)
{
    const struct metric *metric = summing->question->metric;
    uint64_t const value = (uint64_t)cell->value;
    unsigned const column = cell->column;
    if (column == COL_NONE || cell->key >= summing->stack_limit ||
        (summing->question->codes && !summing->question->codes[cell->key]))
        return;
    int const sign = metric_sign(metric, column);
    sum->value += sign > 0 ? value : sign < 0 ? -value : 0;
    sum->count += column == metric->count_plus ? value : column == metric->count_minus ? -value : 0;
    sum->calls += column == summing->family.calls ? value : 0;
    sum->bytes += column == summing->family.bytes ? value : 0;
    sum->frees += column == summing->family.frees ? value : 0;
    sum->freed += column == summing->family.freed ? value : 0;
}

static void add_bucket(void *into, const struct bucket *bucket)
{
    struct phases_summing *summing = into;
    struct point sum = {.time_ns = 0};
    if (summing->points.count == 0) {
        sum.time_ns = bucket->begin_ns;
        sum.gauges = (struct gauges){-1, -1, -1, -1};
        summing->failed |= !vec_push(&summing->points, sum);
    } else {
        sum = summing->points.items[summing->points.count - 1];
        INVARIANT(sum.time_ns <= bucket->begin_ns);
    }
    for (size_t i = 0; i < bucket->cell_count; i++)
        add_cell(summing, &sum, &bucket->cells[i]);
    sum.time_ns = bucket->end_ns;
    sum.gauges = bucket->gauges;
    summing->failed |= !vec_push(&summing->points, sum);
}

/* The first boundary that is not before `time_ns`; the last boundary if all are before. */
static size_t point_at(const struct phases_summing *summing, uint64_t time_ns)
{
    INVARIANT(summing->points.count > 0);
    size_t const at = vec_lower_bound(&summing->points, point, point->time_ns < time_ns);
    return at < summing->points.count ? at : at - 1;
}

/* True when the sums that are stored with marks are enough: they are of the whole heap. */
static bool is_in_marks(const struct phases_summing *summing)
{
    const struct metric *metric = summing->question->metric;
    return !summing->question->codes && summing->family.calls == COL_HEAP_CALLS &&
           metric->plus >= COL_HEAP_CALLS && metric->plus <= COL_HEAP_FREED &&
           metric->minus <= COL_HEAP_FREED;
}

/* The sums stored with a mark at this very time, for a mark inside a merged bucket. */
static bool told_by_mark(const struct phases_summing *summing, uint64_t time_ns,
                         struct point *point)
{
    const struct mark_sums *sums =
        is_in_marks(summing) ? marks_sums_at(summing->marks, time_ns) : NULL;
    if (!sums)
        return false;
    struct cell const cells[] = {{0, COL_HEAP_CALLS, (int64_t)sums->calls},
                                 {0, COL_HEAP_BYTES, (int64_t)sums->bytes},
                                 {0, COL_HEAP_FREES, (int64_t)sums->frees},
                                 {0, COL_HEAP_FREED, (int64_t)sums->freed_bytes}};
    *point = (struct point){.time_ns = time_ns, .gauges = {-1, -1, -1, -1}};
    for (unsigned i = 0; i < 4; i++)
        add_cell(summing, point, &cells[i]);
    return true;
}

/* Sums up to a time, or up to the next boundary outward. */
static struct point sums_at(const struct phases_summing *summing, uint64_t time_ns, bool is_begin)
{
    const struct point *points = summing->points.items;
    size_t const at = point_at(summing, time_ns);
    struct point told;
    if (points[at].time_ns != time_ns && told_by_mark(summing, time_ns, &told))
        return told;
    return is_begin && points[at].time_ns > time_ns && at > 0 ? points[at - 1] : points[at];
}

/* Maximum of the live heap between two times; -1 when one of them is no boundary. */
static int64_t most_between(const struct phases_summing *summing, uint64_t from_ns, uint64_t to_ns)
{
    const struct point *points = summing->points.items;
    size_t const from = point_at(summing, from_ns), to = point_at(summing, to_ns);
    int64_t most = -1;
    if (points[from].time_ns != from_ns || points[to].time_ns != to_ns)
        return -1;
    for (size_t i = from + 1; i <= to; i++)
        if (points[i].gauges.heap_live_max > most)
            most = points[i].gauges.heap_live_max;
    return most;
}

static void fill_row(const struct phases_summing *summing, struct phase_row *row)
{
    INVARIANT(row->from_ns <= row->to_ns);
    struct point const from = sums_at(summing, row->from_ns, true);
    struct point const to = sums_at(summing, row->to_ns, false);
    row->is_exact = from.time_ns == row->from_ns && to.time_ns == row->to_ns;
    row->counted_from_ns = from.time_ns;
    row->counted_to_ns = to.time_ns;
    row->value = (int64_t)(to.value - from.value);
    row->count = (int64_t)(to.count - from.count);
    row->calls = (int64_t)(to.calls - from.calls);
    row->allocated_bytes = (int64_t)(to.bytes - from.bytes);
    row->frees = (int64_t)(to.frees - from.frees);
    row->freed_bytes = (int64_t)(to.freed - from.freed);
    row->live_end_bytes = (int64_t)(to.bytes - to.freed);
    row->live_end_count = (int64_t)(to.calls - to.frees);
    row->heap_max_bytes = most_between(summing, row->counted_from_ns, row->counted_to_ns);
    row->rss_end_bytes = to.gauges.rss_bytes;
}

static int add_row(const struct phases_summing *summing, struct phases *phases,
                   struct phase_row row)
{
    struct time_range const range = summing->question->range;
    uint64_t const last_ns = summing->points.items[summing->points.count - 1].time_ns;
    uint64_t const to_ns = range.to_ns < last_ns ? range.to_ns : last_ns;
    if (row.to_ns > to_ns)
        row.to_ns = to_ns;
    if (row.from_ns < range.from_ns)
        row.from_ns = range.from_ns;
    bool const is_last =
        row.from_ns == last_ns && range.to_ns > last_ns; /* A mark at the very end. */
    if (row.from_ns > row.to_ns || (row.from_ns == row.to_ns && !is_last))
        return 0;
    INVARIANT(row.to_ns <= to_ns && row.from_ns >= range.from_ns);
    fill_row(summing, &row);
    return vec_push(&phases->rows, row) ? 0 : -ENOMEM;
}

static int add_rows(const struct phases_summing *summing, const struct recording *recording,
                    struct phases *phases)
{
    const struct mark_list *marks = &recording->marks;
    uint64_t const last_ns = summing->points.items[summing->points.count - 1].time_ns;
    bool has_mark = false;
    int err = 0;
    for (size_t i = 0; i < marks->count && !err; i++) {
        const struct mark *mark = &marks->items[i];
        if (mark->kind == MARK_END)
            continue;
        struct phase_row row = {.name = mark->label, .is_phase = mark->kind == MARK_BEGIN};
        if (mark->kind == MARK_INSTANT && !has_mark) {
            err = add_row(summing, phases, (struct phase_row){.to_ns = mark->time_ns});
            has_mark = true;
        }
        struct mark_span const span = marks_span(marks, i, last_ns);
        row.from_ns = span.from_ns;
        row.to_ns = span.to_ns;
        row.is_open = span.is_open;
        if (!err)
            err = add_row(summing, phases, row);
    }
    return err;
}

/* The time before the first mark comes first, whatever phases began in it. */
static int compare_rows(const void *a, const void *b)
{
    const struct phase_row *left = a, *right = b;
    if (left->from_ns != right->from_ns)
        return left->from_ns < right->from_ns ? -1 : 1;
    return left->to_ns > right->to_ns ? -1 : left->to_ns < right->to_ns;
}

int phases_build(struct recording *recording, const struct phase_question *question,
                 struct phases *phases, struct fault *fault)
{
    struct phases_summing summing = {.question = question,
                                     .family = family_of(question->metric),
                                     .marks = &recording->marks,
                                     .stack_limit =
                                         (size_t)stack_table_count(recording->stacks) + 1};
    struct time_range all = {0, question->range.to_ns}; /* a level needs what came before */
    *phases = (struct phases){.metric = question->metric};
    int err = bucket_walk(recording, &all, (struct bucket_visitor){add_bucket, &summing}, fault);
    if (!err && summing.failed)
        err = -ENOMEM;
    if (!err && summing.points.count > 0)
        err = add_rows(&summing, recording, phases);
    vec_free(&summing.points);
    if (err) {
        phases_fini(phases);
        return err == -ENOMEM ? fault_set(fault, err, "out of memory while adding up phases") : err;
    }
    if (phases->rows.count > 1)
        qsort(phases->rows.items, phases->rows.count, sizeof(struct phase_row), compare_rows);
    return 0;
}

void phases_fini(struct phases *phases)
{
    vec_free(&phases->rows);
}
