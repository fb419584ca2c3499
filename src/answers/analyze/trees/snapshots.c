/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/snapshots.h"

#include <errno.h>
#include <string.h>

#include "analyze/sums/bucket_walk.h"
#include "analyze/growth/thin_curve.h"
#include "base/human.h"
#include "base/invariant.h"
#include "model/memory/owner.h"

#define GLIBC_HEADER_BYTES 8
#define STACKS_MORE        (COL_RESIDENT_0 + 2 * OWNER_STACK)

/* Sums that go on from bucket to bucket.  Unsigned: nonsense in a damaged file wraps. */
struct snapshots_sums {
    uint64_t bytes, blocks, slack, stacks;
    uint64_t untold; /* of bytes */
};

struct maker {
    struct recording *recording;
    const struct snapshot_choice *choice;
    struct snapshots *made;
    struct snapshots_sums sums;
    int64_t most; /* since the last snapshot was taken; -1 unknown */
    bool failed;
    stack_id untold; /* whose bytes have no call site; STACK_EMPTY: there is no such stack */
    /* The second walk: levels by stack. */
    uint64_t *values, *counts;
    size_t stack_limit;
    size_t next; /* the first snapshot that is later than the buckets so far */
};

int64_t snapshot_extra(const struct snapshot *snapshot)
{
    return snapshot->slack_bytes + snapshot->header_bytes;
}

int64_t snapshot_total(const struct snapshot *snapshot)
{
    return snapshot->bytes + snapshot_extra(snapshot) + snapshot->stacks_bytes;
}

const struct metric *snapshots_metric(const struct metric *asked, struct fault *fault)
{
    if (!asked || strcmp(asked->name, "heap.peak") == 0 || strcmp(asked->name, "heap.leaked") == 0)
        return metric_find("heap.live");
    if (strcmp(asked->name, "pool.peak") == 0)
        return metric_find("pool.live");
    if (asked->kind == METRIC_LEVEL && strcmp(asked->unit, "bytes") == 0)
        return asked;
    fault_set(fault, -EINVAL,
              "snapshots need a level in bytes, and %s is not one: choose heap.live, maps.live or "
              "another level",
              asked->name);
    return NULL;
}

static bool is_heap(const struct maker *maker)
{
    return maker->choice->metric->plus == COL_HEAP_BYTES;
}

static bool is_chosen(const struct maker *maker, const struct cell *cell)
{
    return !maker->choice->codes || (cell->key <= stack_table_count(maker->recording->stacks) &&
                                     maker->choice->codes[cell->key]);
}

/* A pin is net: what was freed is not in it. */
static void add_cell(struct maker *maker, struct snapshots_sums *sums, const struct cell *cell)
{
    const struct metric *metric = maker->choice->metric;
    uint64_t const value = (uint64_t)cell->value;
    if (cell->column == STACKS_MORE || cell->column == STACKS_MORE + 1) {
        maker->made->has_stacks = true;
        sums->stacks += cell->column == STACKS_MORE ? value : -value;
    }
    if (!is_chosen(maker, cell))
        return;
    int const sign = metric_sign(metric, cell->column);
    uint64_t const bytes = sign > 0 ? value : sign < 0 ? -value : 0;
    sums->bytes += bytes;
    if (maker->untold && cell->key == maker->untold)
        sums->untold += bytes;
    if (cell->column == metric->count_plus && metric->count_plus != COL_NONE)
        sums->blocks += value;
    if (cell->column == metric->count_minus && metric->count_minus != COL_NONE)
        sums->blocks -= value;
    if (cell->column == COL_HEAP_SLACK)
        sums->slack += value;
    if (cell->column == COL_HEAP_SLACK_FREED)
        sums->slack -= value;
    maker->made->has_slack |= cell->column == COL_HEAP_SLACK;
}

static struct snapshot snapshot_at(const struct maker *maker, uint64_t time_ns,
                                   const struct snapshots_sums *sums)
{
    struct snapshot snapshot = {.time_ns = time_ns, .most_bytes = -1};
    snapshot.bytes = (int64_t)sums->bytes > 0 ? (int64_t)sums->bytes : 0;
    snapshot.is_untold = sums->untold && sums->untold == sums->bytes;
    snapshot.blocks = (int64_t)sums->blocks > 0 ? (int64_t)sums->blocks : 0;
    if (is_heap(maker)) {
        snapshot.slack_bytes = (int64_t)sums->slack > 0 ? (int64_t)sums->slack : 0;
        if (snapshot.blocks < INT64_MAX / GLIBC_HEADER_BYTES)
            snapshot.header_bytes = snapshot.blocks * maker->made->header_bytes_each;
    }
    if (maker->choice->with_stacks && (int64_t)sums->stacks > 0)
        snapshot.stacks_bytes = (int64_t)sums->stacks;
    return snapshot;
}

static void add(struct maker *maker, struct snapshot snapshot)
{
    maker->failed |= !vec_push(&maker->made->items, snapshot);
}

/* The most of a bucket is known for the heap as a whole. */
static void see_most(struct maker *maker, const struct bucket *bucket)
{
    if (!is_heap(maker) || maker->choice->codes)
        return;
    if (bucket->gauges.heap_live_max > maker->most)
        maker->most = bucket->gauges.heap_live_max;
}

static void first_walk(void *into, const struct bucket *bucket)
{
    struct maker *maker = into;
    if (maker->made->items.count == 0 && bucket->end_ns > maker->choice->range.from_ns)
        add(maker, snapshot_at(maker, bucket->begin_ns, &maker->sums));
    for (size_t i = 0; i < bucket->cell_count; i++)
        add_cell(maker, &maker->sums, &bucket->cells[i]);
    if (maker->made->items.count == 0)
        return;
    see_most(maker, bucket);
    struct snapshot snapshot = snapshot_at(maker, bucket->end_ns, &maker->sums);
    snapshot.most_bytes = maker->most;
    maker->most = -1;
    add(maker, snapshot);
}

static const struct pin *pin_of(const struct maker *maker)
{
    if (metric_is_of_pools(maker->choice->metric))
        return recording_pin(maker->recording, PIN_POOL_PEAK);
    return is_heap(maker) ? recording_pin(maker->recording, PIN_PEAK) : NULL;
}

/* Puts the pinned peak among the others.  Stacks were last looked at before it. */
static void insert_pin(struct maker *maker, const struct pin *pin)
{
    struct snapshots *made = maker->made;
    struct snapshot *items = made->items.items;
    size_t at = 0;
    while (at < made->items.count && items[at].time_ns <= pin->time_ns)
        at++;
    if (at == 0 || (at == made->items.count && items[at - 1].time_ns < pin->time_ns))
        return; /* outside of the time asked for */
    struct snapshots_sums sums = {0};
    bool const has_stacks = made->has_stacks;
    for (size_t i = 0; i < pin->cell_count; i++)
        add_cell(maker, &sums, &pin->cells[i]);
    made->has_stacks = has_stacks; /* pins know nothing of them */
    sums.stacks = (uint64_t)items[at - 1].stacks_bytes;
    struct snapshot peak = snapshot_at(maker, pin->time_ns, &sums);
    made->peak = at - 1;
    made->is_peak_exact = !maker->choice->codes;
    if (items[at - 1].time_ns == pin->time_ns && items[at - 1].bytes == peak.bytes)
        return; /* there already, as the end of a bucket */
    peak.most_bytes = maker->choice->codes ? -1 : peak.bytes;
    peak.is_pinned = true;
    if (!vec_push(&made->items, peak)) {
        maker->failed = true;
        return;
    }
    items = made->items.items;
    memmove(items + at + 1, items + at, (made->items.count - 1 - at) * sizeof(*items));
    items[at] = peak;
    INVARIANT(at > 0 && items[at - 1].time_ns <= peak.time_ns);
    made->peak = at;
}

static void find_peak(struct maker *maker)
{
    const struct pin *pin = pin_of(maker);
    struct snapshots *made = maker->made;
    if (pin)
        insert_pin(maker, pin);
    if (made->is_peak_exact)
        return;
    for (size_t i = 0; i < made->items.count; i++)
        if (made->items.items[i].bytes > made->items.items[made->peak].bytes)
            made->peak = i;
}

/* Fewer, if there are too many; what was most in those left out counts for the next one kept. */
static int thin_out(struct snapshots *made, size_t most)
{
    INVARIANT(made->peak < made->items.count);
    size_t const count = made->items.count;
    struct snapshot *items = made->items.items;
    struct curve_point *points = calloc(count, sizeof(*points));
    bool *keep = calloc(count, sizeof(*keep));
    if (points && keep) {
        for (size_t i = 0; i < count; i++)
            points[i] =
                (struct curve_point){(double)items[i].time_ns, (double)snapshot_total(&items[i])};
        thin_curve(points, count, most - (count > most), keep);
        keep[made->peak] = true;
        size_t kept = 0, peak = 0;
        int64_t highest = -1;
        for (size_t i = 0; i < count; i++) {
            highest = items[i].most_bytes > highest ? items[i].most_bytes : highest;
            if (!keep[i])
                continue;
            peak = i == made->peak ? kept : peak;
            items[kept] = items[i];
            items[kept++].most_bytes = highest;
            highest = -1;
        }
        made->items.count = kept;
        made->peak = peak;
        INVARIANT(peak < kept && kept <= count);
    }
    int const err = points && keep ? 0 : -ENOMEM;
    free(points);
    free(keep);
    return err;
}

/* One in so many, as massif counts; also the peak, and the last: what is left.  Where a foreign
 * file has call sites of some instants only, those. */
static void choose_detailed(struct snapshots *made, unsigned every, bool some_are_untold)
{
    for (size_t i = 0; i < made->items.count; i++) {
        struct snapshot *snapshot = &made->items.items[i];
        snapshot->is_detailed = some_are_untold
                                    ? !snapshot->is_untold && snapshot->bytes > 0
                                    : i % every == every - 1 || i + 1 == made->items.count;
        snapshot->is_detailed |= i == made->peak;
    }
}

/* The stack of UNTOLD_FRAME, which only readers of foreign files make. */
static stack_id find_untold(const struct recording *recording)
{
    uint32_t const count = stack_table_count(recording->stacks);
    for (stack_id id = 1; id <= count; id++) {
        struct stack_link const link = stack_table_innermost(recording->stacks, id);
        if (link.caller != STACK_EMPTY || link.frame >= recording->frames.count)
            continue;
        const struct frame *frame = &recording->frames.items[link.frame];
        if (frame->module == MODULE_NONE && frame->location_count == 1 &&
            frame->first_location < recording->locations.count &&
            strcmp(recording_text(recording,
                                  recording->locations.items[frame->first_location].function),
                   UNTOLD_FRAME) == 0)
            return id;
    }
    return STACK_EMPTY;
}

/* The levels by stack as they stand, into the snapshot; only what is above zero. */
static void collect(struct maker *maker, struct snapshot *snapshot)
{
    INVARIANT(snapshot->weights.rows.count == 0);
    struct weights *weights = &snapshot->weights;
    uint64_t value = 0, count = 0;
    *weights = (struct weights){.metric = maker->choice->metric,
                                .used = {snapshot->time_ns, snapshot->time_ns}};
    for (size_t key = 0; key < maker->stack_limit; key++) {
        if ((int64_t)maker->values[key] <= 0)
            continue;
        value += maker->values[key];
        count += maker->counts[key];
        maker->failed |=
            !vec_push(&weights->rows, (struct weight){.key = (uint32_t)key,
                                                      .value = (int64_t)maker->values[key],
                                                      .count = (int64_t)maker->counts[key]});
    }
    weights->total_value = (int64_t)value;
    weights->total_count = (int64_t)count;
}

static void add_level(struct maker *maker, const struct cell *cell)
{
    const struct metric *metric = maker->choice->metric;
    if (cell->key >= maker->stack_limit || !is_chosen(maker, cell))
        return;
    uint64_t const value = (uint64_t)cell->value;
    int const sign = metric_sign(metric, cell->column);
    maker->values[cell->key] += sign > 0 ? value : sign < 0 ? -value : 0;
    if (metric->count_plus != COL_NONE && cell->column == metric->count_plus)
        maker->counts[cell->key] += value;
    if (metric->count_minus != COL_NONE && cell->column == metric->count_minus)
        maker->counts[cell->key] -= value;
}

static void second_walk(void *into, const struct bucket *bucket)
{
    struct maker *maker = into;
    struct snapshots *made = maker->made;
    for (size_t i = 0; i < bucket->cell_count; i++)
        add_level(maker, &bucket->cells[i]);
    for (; maker->next < made->items.count &&
           made->items.items[maker->next].time_ns <= bucket->end_ns;
         maker->next++) {
        struct snapshot *snapshot = &made->items.items[maker->next];
        INVARIANT(maker->next == 0 || snapshot[-1].time_ns <= snapshot->time_ns);
        if (snapshot->is_detailed && !snapshot->is_pinned && snapshot->time_ns == bucket->end_ns)
            collect(maker, snapshot);
    }
}

static void collect_pin(struct maker *maker, struct snapshot *snapshot)
{
    const struct pin *pin = pin_of(maker);
    INVARIANT(pin && snapshot->is_pinned);
    memset(maker->values, 0, maker->stack_limit * sizeof(*maker->values));
    memset(maker->counts, 0, maker->stack_limit * sizeof(*maker->counts));
    for (size_t i = 0; i < pin->cell_count; i++)
        add_level(maker, &pin->cells[i]);
    collect(maker, snapshot);
}

static int fill_details(struct maker *maker, struct fault *fault)
{
    struct time_range range = {0, maker->made->used.to_ns};
    maker->stack_limit = (size_t)stack_table_count(maker->recording->stacks) + 1;
    maker->values = calloc(maker->stack_limit, sizeof(*maker->values));
    maker->counts = calloc(maker->stack_limit, sizeof(*maker->counts));
    if (!maker->values || !maker->counts)
        return -ENOMEM;
    int err =
        bucket_walk(maker->recording, &range, (struct bucket_visitor){second_walk, maker}, fault);
    vec_each (snapshot, &maker->made->items)
        if (!err && snapshot->is_pinned && snapshot->is_detailed)
            collect_pin(maker, snapshot);
    return err ? err : maker->failed ? -ENOMEM : 0;
}

/* glibc keeps 8 bytes beside each block.  Others keep none there, or it is not known. */
static unsigned header_bytes_of(const struct recording *recording)
{
    for (size_t i = 0; i < recording->traits.count; i++)
        if (trait_is_allocator(recording->traits.items[i].kind))
            return 0;
    return recording->heap.slack_bytes > 0 ? GLIBC_HEADER_BYTES : 0;
}

static int make(struct maker *maker, struct fault *fault)
{
    char length[HUMAN_MAX];
    struct snapshots *made = maker->made;
    struct time_range range = {0, maker->choice->range.to_ns};
    int err =
        bucket_walk(maker->recording, &range, (struct bucket_visitor){first_walk, maker}, fault);
    if (err)
        return err;
    if (made->items.count == 0 && maker->choice->range.from_ns >= maker->recording->duration_ns &&
        maker->choice->range.from_ns > 0)
        return fault_set(fault, -ERANGE,
                         "nothing was recorded in that time: the recording is %s long",
                         human_duration(maker->recording->duration_ns, length));
    if (made->items.count == 0)
        add(maker, snapshot_at(maker, 0, &maker->sums));
    if (maker->failed)
        return -ENOMEM;
    find_peak(maker);
    made->instants = made->items.count;
    if (maker->failed || thin_out(made, maker->choice->max) < 0)
        return -ENOMEM;
    choose_detailed(made, maker->choice->detailed_every, maker->untold != STACK_EMPTY);
    made->used = (struct time_range){made->items.items[0].time_ns,
                                     made->items.items[made->items.count - 1].time_ns};
    return fill_details(maker, fault);
}

int snapshots_make(struct recording *recording, const struct snapshot_choice *choice,
                   struct snapshots *snapshots, struct fault *fault)
{
    struct maker maker = {.recording = recording, .choice = choice, .made = snapshots, .most = -1};
    maker.untold = find_untold(recording);
    *snapshots = (struct snapshots){.metric = choice->metric,
                                    .header_bytes_each = header_bytes_of(recording)};
    int const err = make(&maker, fault);
    free(maker.values);
    free(maker.counts);
    if (err) {
        snapshots_fini(snapshots);
        if (err == -ENOMEM)
            fault_set(fault, err, "out of memory while taking the snapshots");
    }
    return err;
}

void snapshots_fini(struct snapshots *snapshots)
{
    vec_each (snapshot, &snapshots->items)
        weights_fini(&snapshot->weights);
    vec_free(&snapshots->items);
}
