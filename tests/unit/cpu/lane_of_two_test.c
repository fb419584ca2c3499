/* SPDX-License-Identifier: Apache-2.0 */
/* A lane whose news go to one recording and then to another, as when a program says that it is
 * two. */
#include "cpu/cpu_lane.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define TID 4711u

static void add_sample(struct cpu_lane *lane, stack_id stack, uint64_t time_ns)
{
    struct cpu_news const news = {.time_ns = time_ns,
                                  .thread = cpu_lane_thread(lane, 1, TID),
                                  .stack = stack,
                                  .count = 1,
                                  .column = COL_CPU_NS,
                                  .value_ns = 1000};
    CHECK(cpu_lane_add(lane, &news) == 0);
}

static void free_bucket(struct bucket *bucket)
{
    free(bucket->cells);
    free(bucket->thread_cells);
    free(bucket->moments);
}

static void collect(struct cpu_lane *lane, const struct recording *stacks, struct recording *to,
                    uint32_t row)
{
    struct bucket bucket = {.begin_ns = 0, .end_ns = 1000000};
    struct cpu_target const target = {to, &bucket, 0};
    CHECK(cpu_lane_collect(lane, stacks, &target) == 0);
    assert_int_equal(bucket.moment_count, 1);
    assert_int_equal(bucket.moments[0].thread, row);
    CHECK(bucket.moments[0].stack <= stack_table_count(to->stacks));
    assert_int_equal(to->threads.items[row].tid, TID);
    assert_int_equal(to->threads.items[row].last_ns, 500);
    free_bucket(&bucket);
}

TEST(rows_and_stacks_are_those_of_the_recording_that_takes)
{
    struct recording *stacks = recording_create(), *first = recording_create(),
                     *second = recording_create();
    struct cpu_lane lane = {.recording = NULL};
    stack_id stack;
    CHECK(recording_name_stack(stacks, recording_intern(stacks, "work"), &stack) == 0);
    for (uint32_t i = 0; i < 1000; i++) /* so that its row there is none of the other's */
        CHECK(vec_push(&first->threads, ((struct thread){.tid = i + 10000, .merged = 1})));
    for (int round = 0; round < 3; round++) {
        add_sample(&lane, stack, 500);
        collect(&lane, stacks, first, 1000);
        add_sample(&lane, stack, 500);
        collect(&lane, stacks, second, 0);
    }
    assert_int_equal(first->threads.count, 1001);
    assert_int_equal(second->threads.count, 1);
    cpu_lane_fini(&lane);
    recording_destroy(first);
    recording_destroy(second);
    recording_destroy(stacks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_stacks_are_those_of_the_recording_that_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
