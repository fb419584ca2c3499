/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/cpu_lane.h"

#include "check.h"

static void add(struct cpu_lane *lane, uint32_t pid, uint32_t tid, uint16_t column, uint64_t value)
{
    struct cpu_news const news = {.time_ns = 1,
                                  .thread = cpu_lane_thread(lane, pid, tid),
                                  .count = 1,
                                  .column = column,
                                  .value_ns = value};
    CHECK(cpu_lane_add(lane, &news) == 0);
}

static uint64_t sum(const struct cpu_lane *lane, uint32_t thread, uint16_t column)
{
    uint64_t all = 0;
    vec_each (news, &lane->news)
        all += news->thread == thread && news->column == column ? news->value_ns : 0;
    return all;
}

/* Samples of one process become what it used; waits, and samples of others, stay. */
TEST(samples_stand_for_what_was_used)
{
    struct cpu_lane lane = {.timing = {0}};
    for (unsigned i = 0; i < 10; i++) {
        add(&lane, 999999901, 999999901, COL_CPU_NS, 100);
        add(&lane, 999999901, 999999902, COL_CPU_NS, 100);
        add(&lane, 999999901, 999999902, COL_OFFCPU_NS, 100);
        add(&lane, 999999903, 999999903, COL_CPU_NS, 100);
    }
    assert_int_equal(cpu_lane_unsettled_ns(&lane, 999999901), 2000);
    cpu_lane_settle(&lane, 999999901, 0.75);
    assert_int_equal(cpu_lane_unsettled_ns(&lane, 999999901), 0);
    assert_int_equal(cpu_lane_unsettled_ns(&lane, 999999903), 1000);
    assert_int_equal(sum(&lane, 0, COL_CPU_NS), 750);
    assert_int_equal(sum(&lane, 1, COL_CPU_NS), 750);
    assert_int_equal(sum(&lane, 1, COL_OFFCPU_NS), 1000);
    assert_int_equal(sum(&lane, 2, COL_CPU_NS), 1000);
    /* Once is enough: what comes later is settled by itself. */
    add(&lane, 999999901, 999999901, COL_CPU_NS, 100);
    cpu_lane_settle(&lane, 999999901, 2);
    assert_int_equal(sum(&lane, 0, COL_CPU_NS), 950);
    cpu_lane_fini(&lane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_stand_for_what_was_used)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
