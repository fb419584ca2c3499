/* SPDX-License-Identifier: Apache-2.0 */
/* However a plot is made, at once or from sums, with many notes or few: what sites have at an
 * instant is what they have in the buckets up to it. */
#include "report/plot/plot_sites.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyze/sums/sum_tree.h"
#include "base/hash.h"
#include "check.h"
#include "folded_recording.h"

#define SECOND  UINT64_C(1000000000)
#define BUCKETS 1000u
#define STACKS  40u

static struct recording *recording;
static int64_t changes[BUCKETS][STACKS]; /* of heap.live */
static stack_id stacks[STACKS];

static int begin(void **state)
{
    (void)state;
    recording = folded_create();
    for (unsigned i = 0; i < STACKS; i++) {
        char name[40];
        snprintf(name, sizeof(name), "main;site_%u", i);
        stacks[i] = folded_add(recording, name, COL_NONE, 0);
    }
    vec_each (bucket, &recording->buckets)
        free(bucket->cells);
    recording->buckets.count = 0;
    for (uint32_t at = 0; at < BUCKETS; at++) {
        struct bucket bucket = {.begin_ns = at * SECOND,
                                .end_ns = (at + 1) * SECOND,
                                .gauges = {(int64_t)at, -1, -1, -1},
                                .cells = calloc(2 * STACKS, sizeof(struct cell))};
        CHECK(bucket.cells);
        for (unsigned i = 0; i < STACKS; i++) {
            int64_t const more = (int64_t)(hash_mix(at * 100 + i) % 1000) * (i + 1) * (i + 1);
            int64_t const less = (int64_t)(hash_mix(at * 100 + i + 50) % 900);
            changes[at][i] = more - less;
            bucket.cells[i] = (struct cell){stacks[i], COL_HEAP_BYTES, more};
            bucket.cells[STACKS + i] = (struct cell){stacks[i], COL_HEAP_FREED, less};
        }
        bucket.cell_count = 2 * STACKS;
        CHECK(vec_push(&recording->buckets, bucket));
    }
    recording->duration_ns = BUCKETS * SECOND;
    return 0;
}

static int end(void **state)
{
    (void)state;
    recording_destroy(recording);
    return 0;
}

static int64_t level_of(unsigned stack, uint64_t time_ns)
{
    int64_t sum = 0;
    for (uint64_t at = 0; at < time_ns / SECOND; at++)
        sum += changes[at][stack];
    return sum;
}

/* The largest come first, and together with the rest they are all. */
static void check_instants(const struct plot_data *data)
{
    CHECK(data->site_count == 5);
    for (unsigned place = 0; place < 5; place++) {
        char name[40];
        snprintf(name, sizeof(name), "site_%u", STACKS - 1 - place);
        assert_string_equal(recording_text(recording, data->sites[place].function), name);
    }
    vec_each (instant, &data->instants) {
        int64_t rest = 0;
        CHECK(instant->time_ns % SECOND == 0);
        for (unsigned i = 0; i < STACKS; i++) {
            int64_t const level = level_of(i, instant->time_ns);
            if (i >= STACKS - 5)
                CHECK(instant->values[STACKS - 1 - i] == level);
            else
                rest += level;
        }
        CHECK(instant->values[5] == rest);
    }
}

static struct plot_data plot(struct time_range range, unsigned columns)
{
    struct plot_data data;
    struct plot_choice const choice = {
        .metric = metric_find("heap.live"), .range = range, .top = 5, .max_columns = columns};
    CHECK(plot_data_build(recording, &choice, &data, NULL) == 0);
    return data;
}

TEST(instants_are_at_the_ends_of_columns)
{
    struct plot_data data = plot(TIME_ALL, 200);
    CHECK(data.columns.count == 200 && data.instants.count == 201);
    for (size_t i = 0; i < data.columns.count; i++) {
        CHECK(data.instants.items[i].time_ns == data.columns.items[i].begin_ns);
        CHECK(data.instants.items[i + 1].time_ns == data.columns.items[i].end_ns);
    }
    check_instants(&data);
    plot_data_fini(&data);
    data = plot((struct time_range){300 * SECOND, 700 * SECOND}, 100);
    CHECK(data.instants.count == 101 && data.instants.items[0].time_ns == 300 * SECOND);
    CHECK(data.instants.items[100].time_ns == 700 * SECOND);
    check_instants(&data);
    plot_data_fini(&data);
}

TEST(sums_give_the_same_columns_and_fewer_instants)
{
    struct sum_limits const limits = {SIZE_MAX, 0, 4};
    struct plot_data plain = plot(TIME_ALL, 1000);
    CHECK(!sum_tree_advance(recording, &limits, UINT64_MAX / 2));
    struct plot_data summed = plot(TIME_ALL, 1000);
    CHECK(plain.columns.count == 1000 && summed.columns.count == 1000);
    for (size_t i = 0; i < plain.columns.count; i++)
        assert_memory_equal(&plain.columns.items[i], &summed.columns.items[i],
                            sizeof(plain.columns.items[0]));
    CHECK(plain.instants.count == 1001 && summed.instants.count == 501);
    check_instants(&plain);
    check_instants(&summed);
    plot_data_fini(&summed);
    summed = plot((struct time_range){511 * SECOND, UINT64_MAX}, 1000);
    CHECK(summed.instants.count == 1 + 1 + 244 && summed.instants.items[0].time_ns == 511 * SECOND);
    check_instants(&summed);
    plot_data_fini(&summed);
    plot_data_fini(&plain);
}

TEST(few_notes_make_few_instants)
{
    struct plot_data data = {.metric = metric_find("heap.live")};
    struct site_maker maker = {
        .data = &data, .to_ns = recording->duration_ns, .notes_most = 30 * STACKS};
    CHECK(site_table_init(&maker.sites, recording) == 0);
    vec_each (bucket, &recording->buckets) {
        CHECK(vec_push(&data.columns, (struct plot_column){.begin_ns = bucket->begin_ns,
                                                           .end_ns = bucket->end_ns}));
        site_maker_add(&maker, bucket);
    }
    site_maker_finish(&maker, 5);
    CHECK(!maker.failed && maker.notes.count <= 31 * STACKS);
    CHECK(data.instants.count > 10 && data.instants.count < 40);
    CHECK(data.instants.items[data.instants.count - 1].time_ns == recording->duration_ns);
    check_instants(&data);
    site_maker_fini(&maker);
    plot_data_fini(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instants_are_at_the_ends_of_columns),
        cmocka_unit_test(few_notes_make_few_instants),
        cmocka_unit_test(sums_give_the_same_columns_and_fewer_instants),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
