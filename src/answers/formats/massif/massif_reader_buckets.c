/* SPDX-License-Identifier: Apache-2.0 */
/* massif_reader_buckets.c - turns snapshots into buckets of a recording.  A bucket ends at a
 * snapshot, and its cells are the differences from the snapshot before.  A snapshot without a tree
 * is one sum, under UNTOLD_FRAME, because nobody knows how it was spread over the call sites of
 * other snapshots. */
#include <errno.h>
#include <string.h>

#include "base/human.h"
#include "formats/massif/massif_format.h"
#include "formats/massif/massif_reader.h"
#include "model/memory/owner.h"

#define STACKS_MORE (COL_RESIDENT_0 + 2 * OWNER_STACK)
#define TIME_MAX    9e18
#define PEAK_NEAR   20 /* one part in so many */

typedef VEC(struct cell) cell_list;

struct bucket_maker {
    struct massif_reader *reader;
    stack_id untold, stacks;
    cell_list begin, now; /* levels at the begin of the last bucket, and at the snapshot at hand */
};

uint64_t massif_time_ns(const struct massif_reader *reader, double time)
{
    double ns = time; /* instructions and bytes: each stands for a nanosecond */
    if (strcmp(reader->time_unit, "ms") == 0)
        ns = time * 1e6;
    else if (strcmp(reader->time_unit, "s") == 0)
        ns = time * 1e9;
    return ns >= TIME_MAX ? (uint64_t)TIME_MAX : ns > 0 ? (uint64_t)ns : 0;
}

static int by_key(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* One cell per key and column, none that is 0. */
static void tidy(cell_list *cells)
{
    size_t kept = 0;
    if (cells->count > 1)
        qsort(cells->items, cells->count, sizeof(cells->items[0]), by_key);
    for (size_t i = 0; i < cells->count;) {
        struct cell sum = cells->items[i];
        for (i++; i < cells->count && by_key(&cells->items[i], &sum) == 0; i++)
            sum.value = add(sum.value, cells->items[i].value);
        if (sum.value)
            cells->items[kept++] = sum;
    }
    cells->count = kept;
}

static bool put(cell_list *cells, stack_id stack, unsigned column, int64_t value)
{
    return value == 0 || vec_push(cells, (struct cell){stack, (uint16_t)column, value});
}

/* The levels of a snapshot, as the file tells them. */
static bool levels_of(const struct bucket_maker *maker, const struct massif_snapshot *snapshot,
                      cell_list *cells)
{
    const struct massif_row *rows = maker->reader->rows.items;
    int64_t untold = snapshot->heap;
    bool fine = true;
    cells->count = 0;
    for (size_t i = 0; i < snapshot->row_count; i++) {
        const struct massif_row *row = &rows[snapshot->first_row + i];
        fine = fine && put(cells, row->stack, COL_HEAP_BYTES, row->bytes);
        untold = add(untold, -row->bytes);
    }
    fine = fine && put(cells, maker->untold, COL_HEAP_BYTES, untold) &&
           put(cells, maker->untold, COL_HEAP_SLACK, snapshot->extra) &&
           put(cells, maker->stacks, STACKS_MORE, snapshot->stacks);
    tidy(cells);
    return fine;
}

/* now - begin, into the bucket; in place of what it has. */
static bool fill_bucket(const struct bucket_maker *maker, struct bucket *bucket)
{
    cell_list cells = {0};
    bool fine = vec_reserve(&cells, maker->now.count + maker->begin.count + 1);
    for (size_t i = 0; fine && i < maker->now.count; i++)
        vec_push(&cells, maker->now.items[i]);
    for (size_t i = 0; fine && i < maker->begin.count; i++) {
        struct cell cell = maker->begin.items[i];
        cell.value = add(0, (int64_t)(0 - (uint64_t)cell.value));
        vec_push(&cells, cell);
    }
    tidy(&cells);
    free(bucket->cells);
    bucket->cells = cells.items;
    bucket->cell_count = cells.count;
    return fine;
}

static bool open_bucket(struct bucket_maker *maker, uint64_t begin_ns, uint64_t end_ns)
{
    struct recording *recording = maker->reader->recording;
    struct bucket const bucket = {
        .begin_ns = begin_ns,
        .end_ns = end_ns,
        .gauges = {.rss_bytes = -1, .heap_live_end = -1, .heap_live_max = -1, .heap_live_min = -1},
        .rss_max = -1};
    cell_list const now = maker->now;
    maker->now = maker->begin; /* its room is used again */
    maker->begin = now;
    return vec_push(&recording->buckets, bucket);
}

static void set_gauges(struct gauges *gauges, int64_t heap)
{
    gauges->heap_live_end = heap;
    if (heap > gauges->heap_live_max)
        gauges->heap_live_max = heap;
    if (gauges->heap_live_min < 0 || heap < gauges->heap_live_min)
        gauges->heap_live_min = heap;
}

/* Snapshots of one instant share a bucket: the last one counts. */
static bool add_snapshot(struct bucket_maker *maker, const struct massif_snapshot *snapshot)
{
    struct recording *recording = maker->reader->recording;
    size_t const count = recording->buckets.count;
    uint64_t const last_ns = count ? recording->buckets.items[count - 1].end_ns : 0;
    uint64_t time_ns = massif_time_ns(maker->reader, snapshot->time);
    if (time_ns == 0 && snapshot->heap + snapshot->extra + snapshot->stacks > 0)
        time_ns = 1;
    if (time_ns == 0)
        return true; /* nothing, at the very beginning */
    if (time_ns > last_ns && !open_bucket(maker, last_ns, time_ns))
        return false;
    struct bucket *bucket = &recording->buckets.items[recording->buckets.count - 1];
    set_gauges(&bucket->gauges, snapshot->heap);
    return levels_of(maker, snapshot, &maker->now) && fill_bucket(maker, bucket);
}

static bool is_better_peak(const struct massif_snapshot *one, const struct massif_snapshot *other)
{
    if (one->heap != other->heap)
        return one->heap > other->heap;
    if (one->is_peak != other->is_peak)
        return one->is_peak;
    return one->is_detailed && !other->is_detailed;
}

/* The largest snapshot; and in *sites the one whose call sites are shown: itself, or, where
 * massif kept none of it, the one that massif took for the peak, which is by 1 % less at most
 * unless somebody told it otherwise. */
static const struct massif_snapshot *find_peak(const struct massif_reader *reader,
                                               const struct massif_snapshot **sites)
{
    const struct massif_snapshot *peak = NULL, *marked = NULL;
    for (size_t i = 0; i < reader->snapshots.count; i++) {
        const struct massif_snapshot *other = &reader->snapshots.items[i];
        if (!peak || is_better_peak(other, peak))
            peak = other;
        if (other->is_peak && (!marked || is_better_peak(other, marked)))
            marked = other;
    }
    bool const is_near = peak && marked && peak->heap - marked->heap <= peak->heap / PEAK_NEAR;
    *sites = peak && !peak->is_detailed && is_near ? marked : peak;
    return peak;
}

static void tell_peak(const struct massif_reader *reader, const struct massif_snapshot *peak,
                      const struct massif_snapshot *sites)
{
    char most[HUMAN_MAX], bytes[HUMAN_MAX], when[HUMAN_MAX];
    if (sites != peak)
        recording_note(reader->recording,
                       "massif kept no call sites of its largest snapshot (%s): those of the peak "
                       "are of the snapshot at %s, which has %s, and the rest is " UNTOLD_FRAME,
                       human_bytes(peak->heap, most),
                       human_duration(massif_time_ns(reader, sites->time), when),
                       human_bytes(sites->heap, bytes));
}

static bool pin_peak(const struct bucket_maker *maker)
{
    struct recording *recording = maker->reader->recording;
    const struct massif_snapshot *sites, *peak = find_peak(maker->reader, &sites);
    cell_list cells = {0};
    if (!peak || peak->heap == 0)
        return true;
    struct pin pin = {.kind = PIN_PEAK, .time_ns = massif_time_ns(maker->reader, peak->time)};
    bool const fine = levels_of(maker, sites, &cells) &&
                      put(&cells, maker->untold, COL_HEAP_BYTES, peak->heap - sites->heap) &&
                      put(&cells, maker->untold, COL_HEAP_SLACK, peak->extra - sites->extra);
    tidy(&cells);
    tell_peak(maker->reader, peak, sites);
    size_t kept = 0;
    for (size_t i = 0; i < cells.count; i++) /* of the heap alone */
        if (cells.items[i].column != STACKS_MORE)
            cells.items[kept++] = cells.items[i];
    pin.cells = cells.items;
    pin.cell_count = kept;
    recording->heap.peak_bytes = (uint64_t)peak->heap;
    recording->heap.peak_slack_bytes = (uint64_t)peak->extra;
    recording->heap.peak_time_ns = pin.time_ns;
    if (fine && vec_push(&recording->pins, pin))
        return true;
    free(cells.items);
    return false;
}

static int make_name(struct massif_reader *reader, const char *name, stack_id *stack)
{
    string_id const id = recording_intern(reader->recording, name);
    return id == STRING_EMPTY ? -ENOMEM : recording_name_stack(reader->recording, id, stack);
}

int massif_make_buckets(struct massif_reader *reader)
{
    struct bucket_maker maker = {.reader = reader};
    struct recording *recording = reader->recording;
    bool fine = make_name(reader, UNTOLD_FRAME, &maker.untold) == 0 &&
                make_name(reader, "[stacks of threads]", &maker.stacks) == 0;
    for (size_t i = 0; fine && i < reader->snapshots.count; i++)
        fine = add_snapshot(&maker, &reader->snapshots.items[i]);
    fine = fine && pin_peak(&maker);
    size_t const count = recording->buckets.count;
    recording->duration_ns = count ? recording->buckets.items[count - 1].end_ns : 0;
    if (recording->heap.peak_time_ns > recording->duration_ns)
        recording->heap.peak_time_ns = recording->duration_ns;
    vec_free(&maker.begin);
    vec_free(&maker.now);
    return fine ? 0 : -ENOMEM;
}
