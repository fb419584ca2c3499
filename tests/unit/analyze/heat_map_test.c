/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/heat_map.h"

#include <stdlib.h>

#include "check.h"
#include "timed_recording.h"

#define MS  UINT64_C(1000000)
#define SEC UINT64_C(1000000000)

static struct moment_sums sum(struct recording *recording, const char *metric,
                              struct time_range range)
{
    struct moment_sums sums;
    CHECK(moment_sums_build(recording, metric_find(metric), range, &sums, NULL) == 0);
    return sums;
}

/* Each stack is called by its own number. */
static struct heat_map build(struct recording *recording, const struct moment_sums *sums)
{
    struct heat_map map;
    uint32_t *names = calloc(sums->rows.count, sizeof(names[0]));
    for (size_t i = 0; i < sums->rows.count; i++)
        names[i] = sums->rows.items[i].stack;
    CHECK(heat_map_build(recording, sums, names, &map, NULL) == 0);
    free(names);
    return map;
}

static int64_t value_at(const struct heat_map *map, uint32_t slot, stack_id stack)
{
    vec_each (part, &map->parts)
        if (part->slot == slot && part->stack == stack)
            return part->value;
    return 0;
}

TEST(samples_lie_in_the_cell_of_their_time)
{
    struct timed timed = timed_create();
    struct moment_sums sums = sum(timed.recording, "cpu.on", TIME_ALL);
    struct heat_map map = build(timed.recording, &sums);
    int64_t count = 0, value = 0;
    CHECK(map.column_ns == SEC && map.columns == 4 && map.begin_ns == 0 && !map.is_crowded);
    CHECK(heat_row_ns(&map) == 20 * MS);
    for (uint32_t slot = 0; slot < 4 * HEAT_ROWS; slot++)
        CHECK(value_at(&map, slot, timed.stacks[TIMED_GRIND]) == 20 * MS);
    CHECK(value_at(&map, 49, timed.stacks[TIMED_HASH]) == 0);
    CHECK(value_at(&map, 50, timed.stacks[TIMED_HASH]) == 20 * MS); /* at 1000 ms */
    CHECK(value_at(&map, 59, timed.stacks[TIMED_HASH]) == 20 * MS);
    CHECK(value_at(&map, 60, timed.stacks[TIMED_HASH]) == 0);
    CHECK(value_at(&map, 25, timed.stacks[TIMED_POLL]) == 10 * MS);
    vec_each (part, &map.parts) {
        count += part->count;
        value += part->value;
        CHECK(part == map.parts.items || part[-1].slot < part->slot ||
              (part[-1].slot == part->slot && part[-1].stack < part->stack));
    }
    CHECK(map.timeless_count == 10 && map.timeless_value == (int64_t)(100 * MS));
    CHECK(count + map.timeless_count == sums.total_count);
    CHECK(value + map.timeless_value == sums.total_value);
    heat_map_fini(&map);
    moment_sums_fini(&sums);
    timed_destroy(&timed);
}

TEST(a_stretch_has_its_columns_only)
{
    struct timed timed = timed_create();
    struct time_range const range = {1500 * MS, 2600 * MS};
    struct moment_sums sums = sum(timed.recording, "cpu.off", range);
    struct heat_map map = build(timed.recording, &sums);
    CHECK(map.begin_ns == SEC && map.columns == 2);
    CHECK(map.parts.count == 1);
    CHECK(value_at(&map, 75, timed.stacks[TIMED_WAIT]) ==
          (int64_t)(300 * MS)); /* ended at 2500 ms */
    heat_map_fini(&map);
    moment_sums_fini(&sums);
    timed_destroy(&timed);
}

/* A recording of `seconds` with one sample in each of `stacks` stacks in each row of 20 ms. */
static struct recording *crowd(uint64_t seconds, unsigned stacks, unsigned per_second)
{
    struct timed timed = timed_create();
    struct recording *recording = timed.recording;
    for (size_t i = 0; i < recording->buckets.count; i++) {
        struct bucket *bucket = &recording->buckets.items[i];
        free(bucket->cells);
        free(bucket->thread_cells);
        free(bucket->moments);
    }
    recording->buckets.count = 0;
    recording->duration_ns = seconds * SEC;
    for (uint64_t i = 0; i < seconds; i++) {
        size_t const count = (size_t)per_second * stacks;
        struct bucket bucket = {.begin_ns = i * SEC,
                                .end_ns = (i + 1) * SEC,
                                .moments = calloc(count, sizeof(struct moment)),
                                .moment_count = count};
        for (size_t k = 0; k < count; k++)
            bucket.moments[k] = (struct moment){.after_ns = k / stacks * (SEC / per_second),
                                                .stack = (stack_id)(1 + k % stacks),
                                                .count = 1,
                                                .column = COL_CPU_NS,
                                                .value = 10 * MS};
        CHECK(vec_push(&recording->buckets, bucket));
    }
    return recording;
}

static void check_bounded(uint64_t seconds, unsigned stacks, unsigned per_second, uint64_t column)
{
    struct recording *recording = crowd(seconds, stacks, per_second);
    struct moment_sums sums = sum(recording, "cpu.on", TIME_ALL);
    struct heat_map map = build(recording, &sums);
    int64_t value = 0;
    CHECK(map.column_ns == column * SEC);
    CHECK(map.columns == (seconds + column - 1) / column);
    CHECK(map.columns <= HEAT_COLUMNS_MAX && map.parts.count <= HEAT_PARTS_MAX);
    vec_each (part, &map.parts) {
        value += part->value;
        CHECK(part->slot < map.columns * HEAT_ROWS);
    }
    CHECK(value == sums.total_value); /* nothing is lost by it */
    heat_map_fini(&map);
    moment_sums_fini(&sums);
    recording_destroy(recording);
}

TEST(long_recordings_have_longer_columns)
{
    check_bounded(600, 1, 1, 1);
    check_bounded(601, 1, 1, 2);
    check_bounded(1201, 1, 1, 10);
    check_bounded(12001, 1, 1, 60);
}

TEST(many_stacks_make_columns_longer_too)
{
    check_bounded(590, 7, 50, 2);
    check_bounded(590, 8, 500, 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_lie_in_the_cell_of_their_time),
        cmocka_unit_test(a_stretch_has_its_columns_only),
        cmocka_unit_test(long_recordings_have_longer_columns),
        cmocka_unit_test(many_stacks_make_columns_longer_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
