/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sites/live_rank.h"

#include <string.h>

#include "check.h"
#include "sample_recording.h"

#define MIB 1048576
#define SEC UINT64_C(1000000000)

static struct sample sample;
static struct running *running;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    running = running_create();
    return running ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    running_destroy(running);
    sample_destroy(&sample);
    return 0;
}

static struct live_rank build(const char *metric, enum grouping by, enum live_order order)
{
    struct live_rank live;
    struct live_question const question = {metric_find(metric), by, order, NULL};
    CHECK(live_rank_build(sample.recording, running, &question, &live) == 0);
    return live;
}

static struct live_row row_of(const struct live_rank *live, const char *function)
{
    for (size_t i = 0; i < live->rows.count; i++)
        if (strcmp(recording_text(sample.recording, live->rows.items[i].site->function),
                   function) == 0)
            return live->rows.items[i];
    fail_msg("no row %s", function);
    return (struct live_row){0};
}

/* What a report says is what the running sums say, at every boundary and for every metric. */
TEST(running_sums_are_those_of_a_report)
{
    for (uint64_t until = 10 * SEC; until <= 30 * SEC; until += 10 * SEC) {
        CHECK(running_advance(running, sample.recording, until, NULL) == 0);
        CHECK(running_time(running) == until);
        for (const struct metric *metric = metrics; metric->name; metric++) {
            struct weights weights;
            struct running_rows rows;
            if (metric->kind == METRIC_PINNED)
                continue;
            CHECK(weigh_stacks(sample.recording, metric, (struct time_range){0, until}, &weights,
                               NULL) == 0);
            CHECK(running_weigh(running, metric, NULL, &rows) == 0);
            CHECK(rows.value == weights.total_value && rows.count == weights.total_count);
            weights_fini(&weights);
            running_rows_fini(&rows);
        }
    }
}

TEST(growth_counts_from_the_mark)
{
    CHECK(running_advance(running, sample.recording, 20 * SEC, NULL) == 0);
    running_mark(running);
    CHECK(running_mark_time(running) == 20 * SEC);
    CHECK(running_advance(running, sample.recording, UINT64_MAX, NULL) == 0);
    struct live_rank live = build("heap.live", BY_FUNCTION, LIVE_BY_VALUE);
    struct live_row const cache = row_of(&live, "cache_insert"), tree = row_of(&live, "walk");
    CHECK(cache.value == 2 * MIB && cache.count == 2 && cache.growth == -8 * MIB);
    CHECK(tree.value == MIB / 2 && tree.growth == -MIB / 2);
    CHECK(row_of(&live, "tzset_internal").growth == 0);
    CHECK(live.rows.items[0].value == 2 * MIB);
    CHECK(live.growth == -8 * MIB - MIB / 2 && live.value == live.whole_value);
    live_rank_fini(&live);
}

TEST(the_order_is_the_one_asked_for)
{
    CHECK(running_advance(running, sample.recording, 10 * SEC, NULL) == 0);
    running_mark(running);
    CHECK(running_advance(running, sample.recording, UINT64_MAX, NULL) == 0);
    struct live_rank live = build("heap.live", BY_FUNCTION, LIVE_BY_GROWTH);
    for (size_t i = 1; i < live.rows.count; i++)
        CHECK(live.rows.items[i].growth <= live.rows.items[i - 1].growth);
    assert_string_equal(recording_text(sample.recording, live.rows.items[0].site->function),
                        "walk"); /* the cache has shrunk meanwhile */
    live_rank_fini(&live);
    live = build("heap.allocated", BY_LINE, LIVE_BY_COUNT);
    assert_string_equal(recording_text(sample.recording, live.rows.items[0].site->function),
                        "parse");
    CHECK(live.rows.items[0].count == 3000);
    live_rank_fini(&live);
}

TEST(a_site_that_gave_everything_back_still_has_its_growth)
{
    struct bucket *last = &sample.recording->buckets.items[2];
    for (size_t i = 0; i < last->cell_count; i++) { /* the tree frees its other block, too */
        struct cell *cell = &last->cells[i];
        if (cell->key == sample.stacks[SITE_TREE] && cell->column == COL_HEAP_FREES)
            cell->value = 2;
        if (cell->key == sample.stacks[SITE_TREE] && cell->column == COL_HEAP_FREED)
            cell->value = MIB;
    }
    CHECK(running_advance(running, sample.recording, 20 * SEC, NULL) == 0);
    running_mark(running);
    CHECK(running_advance(running, sample.recording, UINT64_MAX, NULL) == 0);
    static const enum grouping groupings[] = {BY_STACK, BY_FUNCTION, BY_LINE};
    for (size_t i = 0; i < 3; i++) {
        struct live_rank live = build("heap.live", groupings[i], LIVE_BY_VALUE);
        CHECK(row_of(&live, "walk").value == 0 && row_of(&live, "walk").growth == -MIB);
        CHECK(row_of(&live, "cache_insert").growth == -8 * MIB);
        CHECK(row_of(&live, "cache_insert").count == 2);
        live_rank_fini(&live);
    }
}

TEST(a_filter_keeps_shares_of_the_whole)
{
    struct live_rank live;
    struct pattern *pattern;
    CHECK(pattern_compile("cache", PATTERN_ANYWHERE, NULL, &pattern, NULL) == 0);
    struct live_question const question = {metric_find("heap.live"), BY_FUNCTION, LIVE_BY_VALUE,
                                           pattern};
    CHECK(running_advance(running, sample.recording, UINT64_MAX, NULL) == 0);
    CHECK(live_rank_build(sample.recording, running, &question, &live) == 0);
    CHECK(live.rows.count == 1 && live.value == 2 * MIB);
    CHECK(live.whole_value == 2 * MIB + MIB / 2 + 4100);
    live_rank_fini(&live);
    pattern_destroy(pattern);
}

TEST(the_pace_is_that_of_the_last_buckets)
{
    CHECK(running_pace(running).seconds == 0);
    CHECK(running_advance(running, sample.recording, UINT64_MAX, NULL) == 0);
    struct pace const pace = running_pace(running);
    CHECK(pace.seconds == 10 && pace.calls == 100); /* the last bucket alone is long enough */
    CHECK(pace.bytes == 6400 && pace.frees == 100.9);
}

/* Merges the buckets [0, count) into one, as a coarser copy of the file has it. */
static void merge_buckets(size_t count)
{
    struct recording *recording = sample.recording;
    struct bucket merged = {.end_ns = recording->buckets.items[count - 1].end_ns};
    for (size_t i = 0; i < count; i++) {
        struct bucket *bucket = &recording->buckets.items[i];
        merged.cells =
            realloc(merged.cells, (merged.cell_count + bucket->cell_count) * sizeof(struct cell));
        memcpy(merged.cells + merged.cell_count, bucket->cells,
               bucket->cell_count * sizeof(struct cell));
        merged.cell_count += bucket->cell_count;
        free(bucket->cells);
        free(bucket->thread_cells);
    }
    recording->buckets.items[0] = merged;
    memmove(recording->buckets.items + 1, recording->buckets.items + count,
            (recording->buckets.count - count) * sizeof(struct bucket));
    recording->buckets.count -= count - 1;
}

TEST(merged_buckets_are_not_added_twice)
{
    for (size_t merged = 2; merged <= 3; merged++) { /* up to where we are; and beyond */
        CHECK(running_advance(running, sample.recording, 20 * SEC, NULL) == 0);
        running_mark(running);
        merge_buckets(merged);
        CHECK(running_advance(running, sample.recording, UINT64_MAX, NULL) == 0);
        struct live_rank live = build("heap.live", BY_FUNCTION, LIVE_BY_VALUE);
        CHECK(row_of(&live, "cache_insert").value == 2 * MIB);
        CHECK(row_of(&live, "cache_insert").growth == -8 * MIB);
        live_rank_fini(&live);
        end(NULL);
        begin(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(running_sums_are_those_of_a_report, begin, end),
        cmocka_unit_test_setup_teardown(growth_counts_from_the_mark, begin, end),
        cmocka_unit_test_setup_teardown(the_order_is_the_one_asked_for, begin, end),
        cmocka_unit_test_setup_teardown(a_site_that_gave_everything_back_still_has_its_growth,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_filter_keeps_shares_of_the_whole, begin, end),
        cmocka_unit_test_setup_teardown(the_pace_is_that_of_the_last_buckets, begin, end),
        cmocka_unit_test_setup_teardown(merged_buckets_are_not_added_twice, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
