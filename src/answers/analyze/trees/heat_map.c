/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/heat_map.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/sums/bucket_walk.h"
#include "analyze/sums/moment_cut.h"
#include "base/invariant.h"

struct heating {
    const struct moment_sums *sums;
    const uint32_t *names;
    struct heat_map *map;
    enum column column;
    bool failed;
};

/* By what the next longer column is longer: 1 s, 2 s, 10 s, 20 s, 1 min, 2 min, 10 min, 20 min,
 * 1 h, 2 h, 4 h ... */
static uint64_t next_step(uint64_t column_ns)
{
    static const uint64_t steps[][2] = {{2, 5}, {20, 3}, {120, 5}, {1200, 3}};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (column_ns == steps[i][0] * HEAT_COLUMN_FIRST)
            return steps[i][1];
    return 2;
}

static int by_slot(const void *left, const void *right)
{
    const struct heat_part *a = left, *b = right;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return a->stack < b->stack ? -1 : a->stack > b->stack;
}

static void merge_parts(struct heat_map *map)
{
    size_t kept = 0;
    if (map->parts.count == 0)
        return;
    qsort(map->parts.items, map->parts.count, sizeof(map->parts.items[0]), by_slot);
    for (size_t i = 1; i < map->parts.count; i++) {
        struct heat_part *last = &map->parts.items[kept];
        const struct heat_part *part = &map->parts.items[i];
        if (by_slot(last, part) == 0) {
            last->count += part->count;
            last->value = (int64_t)((uint64_t)last->value + (uint64_t)part->value);
        } else {
            map->parts.items[++kept] = *part;
        }
    }
    map->parts.count = kept + 1;
}

/* Longer columns: the beginning stays at a whole one. */
static void coarsen(struct heat_map *map)
{
    uint64_t const step = next_step(map->column_ns), column_ns = map->column_ns * step;
    uint64_t const begin_ns = map->begin_ns / column_ns * column_ns;
    uint64_t const before = (map->begin_ns - begin_ns) / heat_row_ns(map);
    INVARIANT(begin_ns <= map->begin_ns && step > 1);
    uint64_t const end_ns = map->begin_ns + map->columns * map->column_ns;
    vec_each (part, &map->parts)
        part->slot = (uint32_t)((part->slot + before) / step);
    map->begin_ns = begin_ns;
    map->column_ns = column_ns;
    map->columns = (uint32_t)((end_ns - begin_ns + column_ns - 1) / column_ns);
    merge_parts(map);
}

static void keep_bounded(struct heat_map *map)
{
    merge_parts(map);
    INVARIANT(map->columns > 0);
    while (map->parts.count > HEAT_PARTS_MAX && map->columns > 1) {
        map->is_crowded = true;
        coarsen(map);
    }
}

/* The row of `sums` that a moment went into; its name, or HEAT_LEFT_OUT. */
static uint32_t name_of(const struct heating *heating, const struct moment *moment)
{
    const struct moment_sums *sums = heating->sums;
    size_t const at =
        vec_lower_bound(&sums->rows, row,
                        row->thread < moment->thread ||
                            (row->thread == moment->thread && row->stack < moment->stack));
    if (at == sums->rows.count || sums->rows.items[at].thread != moment->thread ||
        sums->rows.items[at].stack != moment->stack)
        return HEAT_LEFT_OUT;
    return heating->names[at];
}

static void add_moment(struct heating *heating, const struct bucket *bucket,
                       const struct moment *moment)
{
    struct heat_map *map = heating->map;
    uint32_t const name = name_of(heating, moment);
    uint64_t const time_ns = bucket->begin_ns + moment->after_ns;
    if (name == HEAT_LEFT_OUT)
        return;
    if (moment->after_ns == MOMENT_TIMELESS) {
        map->timeless_count += moment->count;
        map->timeless_value = (int64_t)((uint64_t)map->timeless_value + (uint64_t)moment->value);
        return;
    }
    if (time_ns < map->begin_ns || time_ns >= map->begin_ns + map->columns * map->column_ns)
        return; /* of a damaged file */
    struct heat_part const part = {(uint32_t)((time_ns - map->begin_ns) / heat_row_ns(map)), name,
                                   moment->count, moment->value};
    INVARIANT(part.slot < map->columns * HEAT_ROWS);
    if (!vec_push(&map->parts, part))
        heating->failed = true;
    else if (map->parts.count >= 4 * HEAT_PARTS_MAX)
        keep_bounded(map);
}

static void add_bucket(void *into, const struct bucket *bucket)
{
    struct heating *heating = into;
    struct time_range const range = heating->sums->used;
    bool const is_cut = moment_cuts(bucket, heating->column, range);
    for (size_t i = 0; i < bucket->moment_count && !heating->failed; i++) {
        const struct moment *moment = &bucket->moments[i];
        if (is_cut ? moment_is_in(bucket, moment, heating->column, range)
                   : moment->column == heating->column)
            add_moment(heating, bucket, moment);
    }
}

/* Columns for a stretch of time: as long as it needs for all of them to find room. */
static void divide(struct heat_map *map, uint64_t from_ns, uint64_t to_ns)
{
    INVARIANT(from_ns < to_ns);
    map->column_ns = HEAT_COLUMN_FIRST;
    map->begin_ns = from_ns / map->column_ns * map->column_ns;
    uint64_t columns = (to_ns - map->begin_ns + map->column_ns - 1) / map->column_ns;
    while (columns > HEAT_COLUMNS_MAX) {
        map->column_ns *= next_step(map->column_ns);
        map->begin_ns = from_ns / map->column_ns * map->column_ns;
        columns = (to_ns - map->begin_ns + map->column_ns - 1) / map->column_ns;
    }
    map->columns = columns ? (uint32_t)columns : 1;
    INVARIANT(map->columns <= HEAT_COLUMNS_MAX && map->begin_ns <= from_ns);
}

int heat_map_build(struct recording *recording, const struct moment_sums *sums,
                   const uint32_t *names, struct heat_map *map, struct fault *fault)
{
    struct time_range range = sums->used;
    *map = (struct heat_map){0};
    struct heating heating = {
        .sums = sums, .names = names, .map = map, .column = metric_moments(sums->metric)};
    divide(map, range.from_ns, range.to_ns > range.from_ns ? range.to_ns : range.from_ns + 1);
    int err = bucket_walk(recording, &range, (struct bucket_visitor){add_bucket, &heating}, fault);
    if (!err && heating.failed)
        err = fault_set(fault, -ENOMEM, "out of memory while making the heat map");
    if (err)
        heat_map_fini(map);
    else
        keep_bounded(map);
    return err;
}

void heat_map_fini(struct heat_map *map)
{
    vec_free(&map->parts);
}
