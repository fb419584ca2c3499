/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/heat_grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sample_recording.h"
#include "timed_recording.h"

#define MS  UINT64_C(1000000)
#define SEC UINT64_C(1000000000)

static const struct metric *metric(const char *name)
{
    return metric_find(name);
}

TEST(moments_are_in_the_cell_of_their_time)
{
    struct timed timed = timed_create();
    struct heat_grid grid;
    int64_t value = 0;
    CHECK(heat_grid_build(timed.recording, metric("cpu.on"), TIME_ALL, NULL, &grid, NULL) == 0);
    CHECK(!grid.is_by_bucket && grid.resolution_ns == 20 * MS && grid.column_ns == SEC);
    CHECK(grid.columns == 4 && grid.rows == 50 && grid.cells.count == 200);
    CHECK(grid.cells.items[0].value == (int64_t)(20 * MS) && grid.cells.items[0].count == 2);
    CHECK(grid.cells.items[50].value == (int64_t)(40 * MS));
    vec_each (cell, &grid.cells)
        value += cell->value;
    CHECK(value == grid.placed_value && value == (int64_t)(4210 * MS)); /* 100 ms have no instant */
    CHECK(grid.placed_count == 421);
    heat_grid_fini(&grid);
    timed_destroy(&timed);
}

TEST(a_filter_leaves_some_stacks)
{
    struct timed timed = timed_create();
    struct heat_grid grid;
    uint32_t *codes =
        calloc((size_t)stack_table_count(timed.recording->stacks) + 1, sizeof(*codes));
    CHECK(codes);
    codes[timed.stacks[TIMED_HASH]] = 1;
    CHECK(heat_grid_build(timed.recording, metric("cpu.on"), TIME_ALL, codes, &grid, NULL) == 0);
    CHECK(grid.placed_value == (int64_t)(200 * MS) && grid.cells.count == 10);
    heat_grid_fini(&grid);
    free(codes);
    timed_destroy(&timed);
}

TEST(without_moments_a_cell_is_a_bucket)
{
    struct sample sample = sample_create();
    struct heat_grid grid;
    struct weights weights;
    CHECK(heat_grid_build(sample.recording, metric("heap.allocated"), TIME_ALL, NULL, &grid,
                          NULL) == 0);
    CHECK(weigh_stacks(sample.recording, metric("heap.allocated"), TIME_ALL, &weights, NULL) == 0);
    CHECK(grid.is_by_bucket && grid.rows == 1 && grid.columns == 3);
    CHECK(grid.resolution_ns == 10 * SEC && grid.column_ns == 10 * SEC);
    CHECK(grid.stretches.count == 3 && grid.stretches.items[1].from_ns == 10 * SEC &&
          grid.stretches.items[1].to_ns == 20 * SEC);
    CHECK(grid.placed_value == weights.total_value && grid.placed_count == weights.total_count);
    weights_fini(&weights);
    for (size_t i = 0; i < grid.cells.count; i++) { /* a cell is what weigh says of its stretch */
        struct time_range const range = grid.stretches.items[grid.cells.items[i].slot];
        CHECK(weigh_stacks(sample.recording, metric("heap.allocated"), range, &weights, NULL) == 0);
        CHECK(weights.total_value == grid.cells.items[i].value);
        CHECK(weights.total_count == grid.cells.items[i].count);
        weights_fini(&weights);
    }
    heat_grid_fini(&grid);
    sample_destroy(&sample);
}

TEST(levels_are_refused)
{
    struct sample sample = sample_create();
    struct heat_grid grid;
    struct fault fault = {.text = ""};
    CHECK(heat_grid_build(sample.recording, metric("heap.live"), TIME_ALL, NULL, &grid, &fault) ==
          -EINVAL);
    CHECK(strstr(fault.text, "level"));
    CHECK(heat_grid_build(sample.recording, metric("heap.peak"), TIME_ALL, NULL, &grid, &fault) ==
          -EINVAL);
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_in_the_cell_of_their_time),
        cmocka_unit_test(a_filter_leaves_some_stacks),
        cmocka_unit_test(without_moments_a_cell_is_a_bucket),
        cmocka_unit_test(levels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
