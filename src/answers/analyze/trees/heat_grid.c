/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/heat_grid.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/sums/bucket_walk.h"
#include "analyze/trees/heat_map.h"
#include "analyze/sums/moment_cut.h"
#include "base/invariant.h"

/* Unsigned, so that nonsense in a damaged file wraps instead of trapping. */
static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int put_cell(struct heat_grid *grid, uint32_t slot, int64_t value, int64_t count)
{
    if (!vec_push(&grid->cells, (struct heat_cell){slot, value, count}))
        return -ENOMEM;
    grid->placed_value = add(grid->placed_value, value);
    grid->placed_count = add(grid->placed_count, count);
    return 0;
}

/* From a map whose stacks are all called alike, so there is one part per cell. */
static int copy_map(const struct heat_map *map, struct heat_grid *grid)
{
    int err = 0;
    grid->resolution_ns = heat_row_ns(map);
    grid->begin_ns = map->begin_ns;
    grid->column_ns = map->column_ns;
    grid->columns = map->columns;
    grid->rows = HEAT_ROWS;
    INVARIANT(grid->columns > 0 && grid->column_ns >= HEAT_ROWS);
    for (size_t i = 0; i < map->parts.count && !err; i++)
        err = put_cell(grid, map->parts.items[i].slot, map->parts.items[i].value,
                       map->parts.items[i].count);
    return err;
}

static int build_of_moments(struct recording *recording, const struct moment_sums *sums,
                            const uint32_t *codes, struct heat_grid *grid, struct fault *fault)
{
    struct heat_map map;
    uint32_t *names = calloc(sums->rows.count + 1, sizeof(names[0]));
    if (!names)
        return fault_set(fault, -ENOMEM, "out of memory while making the heat map");
    for (size_t i = 0; codes && i < sums->rows.count; i++)
        names[i] = codes[sums->rows.items[i].stack] ? 0 : HEAT_LEFT_OUT;
    int err = heat_map_build(recording, sums, names, &map, fault);
    free(names);
    if (err)
        return err;
    err = copy_map(&map, grid);
    heat_map_fini(&map);
    return err ? fault_set(fault, err, "out of memory while making the heat map") : 0;
}

struct bucketing {
    const struct metric *metric;
    const uint32_t *codes;
    size_t stacks;
    struct heat_grid *grid;
    bool failed;
};

static void add_bucket(void *into, const struct bucket *bucket)
{
    struct bucketing *bucketing = into;
    struct heat_grid *grid = bucketing->grid;
    const struct metric *metric = bucketing->metric;
    int64_t value = 0, count = 0;
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        if (cell->key >= bucketing->stacks || (bucketing->codes && !bucketing->codes[cell->key]))
            continue;
        if (metric_sign(metric, cell->column) > 0)
            value = add(value, cell->value);
        if (cell->column == metric->count_plus && metric->count_plus != COL_NONE)
            count = add(count, cell->value);
    }
    uint32_t const slot = (uint32_t)grid->stretches.count;
    uint64_t const length = bucket->end_ns - bucket->begin_ns;
    if (!vec_push(&grid->stretches, (struct time_range){bucket->begin_ns, bucket->end_ns}) ||
        ((value || count) && put_cell(grid, slot, value, count) < 0))
        bucketing->failed = true;
    if (length > grid->resolution_ns)
        grid->resolution_ns = length;
}

/* Few cells stand in a row; more in columns, until these are as high as a map by moments. */
static void arrange(struct heat_grid *grid)
{
    size_t const count = grid->stretches.count;
    uint32_t rows = 1;
    while (rows < HEAT_ROWS && (size_t)rows * rows * 8 < count)
        rows++;
    grid->rows = rows;
    grid->columns = (uint32_t)((count + rows - 1) / rows);
    INVARIANT((size_t)grid->columns * rows >= count && rows <= HEAT_ROWS);
    grid->begin_ns = count ? grid->stretches.items[0].from_ns : 0;
    for (size_t first = 0; first < count; first += rows) {
        size_t const last = first + rows < count ? first + rows - 1 : count - 1;
        uint64_t const length =
            grid->stretches.items[last].to_ns - grid->stretches.items[first].from_ns;
        if (length > grid->column_ns)
            grid->column_ns = length;
    }
}

static int build_of_buckets(struct recording *recording, const struct metric *metric,
                            struct time_range range, struct bucketing *bucketing,
                            struct fault *fault)
{
    bucketing->metric = metric;
    bucketing->stacks = (size_t)stack_table_count(recording->stacks) + 1;
    bucketing->grid->is_by_bucket = true;
    int const err =
        bucket_walk(recording, &range, (struct bucket_visitor){add_bucket, bucketing}, fault);
    if (err)
        return err;
    if (bucketing->failed)
        return fault_set(fault, -ENOMEM, "out of memory while making the heat map");
    arrange(bucketing->grid);
    return 0;
}

int heat_grid_build(struct recording *recording, const struct metric *metric,
                    struct time_range range, const uint32_t *codes, struct heat_grid *grid,
                    struct fault *fault)
{
    struct moment_sums sums;
    struct bucketing bucketing = {.codes = codes, .grid = grid};
    *grid = (struct heat_grid){.is_by_bucket = false};
    if (metric->kind != METRIC_COUNTER)
        return fault_set(
            fault, -EINVAL,
            "%s is a level, which has a value at every time: a heat map shows when events "
            "happened, such as heap.allocated or cpu.on",
            metric->name);
    int err = metric_moments(metric) == COL_NONE
                  ? -ENODATA
                  : moment_sums_build(recording, metric, range, &sums, fault);
    if (!err) {
        err = build_of_moments(recording, &sums, codes, grid, fault);
        moment_sums_fini(&sums);
    } else if (err == -ENODATA) {
        err = build_of_buckets(recording, metric, range, &bucketing, fault);
    }
    if (err)
        heat_grid_fini(grid);
    return err;
}

void heat_grid_fini(struct heat_grid *grid)
{
    vec_free(&grid->cells);
    vec_free(&grid->stretches);
}
