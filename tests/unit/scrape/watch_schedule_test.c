/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/watch_schedule.h"

#include "check.h"

TEST(ticks_stay_on_the_grid_however_late_they_are_taken)
{
    struct watch_schedule schedule;
    watch_schedule_init(&schedule, 1000, 10, SCHEDULE_NEVER);
    CHECK(!watch_schedule_tick(&schedule, 999));
    CHECK(watch_schedule_tick(&schedule, 1000) && schedule.next_ns == 1010);
    CHECK(!watch_schedule_tick(&schedule, 1009));
    CHECK(watch_schedule_tick(&schedule, 1017) && schedule.next_ns == 1020);
    CHECK(watch_schedule_tick(&schedule, 1020) && schedule.next_ns == 1030);
    CHECK(schedule.ticks == 3 && schedule.dropped == 0);
}

TEST(ticks_that_were_missed_are_dropped_and_counted)
{
    struct watch_schedule schedule;
    watch_schedule_init(&schedule, 1000, 10, SCHEDULE_NEVER);
    CHECK(watch_schedule_tick(&schedule, 1000));
    CHECK(watch_schedule_tick(&schedule, 1045)); /* 1010, and 1020 to 1040 are gone */
    CHECK(schedule.dropped == 3 && schedule.next_ns == 1050 && schedule.ticks == 2);
    CHECK(watch_schedule_tick(&schedule, 1060));
    CHECK(schedule.dropped == 4 && schedule.next_ns == 1070);
}

TEST(nothing_comes_after_the_end)
{
    struct watch_schedule schedule;
    watch_schedule_init(&schedule, 0, 10, 25);
    CHECK(watch_schedule_tick(&schedule, 0) && watch_schedule_tick(&schedule, 10));
    CHECK(watch_schedule_tick(&schedule, 20) && schedule.next_ns == SCHEDULE_NEVER);
    CHECK(!watch_schedule_tick(&schedule, 30) && schedule.dropped == 0);

    watch_schedule_init(&schedule, 0, 10, 20); /* the end itself is a tick, as with --runtime */
    CHECK(watch_schedule_tick(&schedule, 0) && watch_schedule_tick(&schedule, 10));
    CHECK(schedule.next_ns == 20 && watch_schedule_tick(&schedule, 500));
    CHECK(schedule.next_ns == SCHEDULE_NEVER && schedule.dropped == 0 && schedule.ticks == 3);

    watch_schedule_init(&schedule, 30, 10, 20);
    CHECK(!watch_schedule_tick(&schedule, 100));
}

TEST(without_a_period_there_is_one)
{
    struct watch_schedule schedule;
    watch_schedule_init(&schedule, 7, 0, SCHEDULE_NEVER);
    CHECK(!watch_schedule_tick(&schedule, 6) && watch_schedule_tick(&schedule, 9));
    CHECK(!watch_schedule_tick(&schedule, 900) && schedule.next_ns == SCHEDULE_NEVER);
}

TEST(numbers_at_the_edge_make_no_tick_in_the_past)
{
    struct watch_schedule schedule;
    watch_schedule_init(&schedule, 10, UINT64_MAX - 5, SCHEDULE_NEVER);
    CHECK(watch_schedule_tick(&schedule, 10) && schedule.next_ns == SCHEDULE_NEVER);
}

TEST(stamps_only_grow)
{
    int64_t const day = 1794800000000000;
    CHECK(watch_stamp_after(0, day + 123456, false) == day);
    CHECK(watch_stamp_after(0, day + 123456, true) == day + 123456);
    CHECK(watch_stamp_after(day, day + 999999, false) == day + 1000000);
    CHECK(watch_stamp_after(day + 3000000, day, false) == day + 4000000); /* the clock went back */
    CHECK(watch_stamp_after(day + 5, day + 5, true) == day + 6);
    /* a run with fractions is continued by one without: not the same second */
    CHECK(watch_stamp_after(day + 5, day + 10, false) == day + 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_stay_on_the_grid_however_late_they_are_taken),
        cmocka_unit_test(ticks_that_were_missed_are_dropped_and_counted),
        cmocka_unit_test(nothing_comes_after_the_end),
        cmocka_unit_test(without_a_period_there_is_one),
        cmocka_unit_test(numbers_at_the_edge_make_no_tick_in_the_past),
        cmocka_unit_test(stamps_only_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
