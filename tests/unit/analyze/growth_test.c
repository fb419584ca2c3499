/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/growth.h"

#include <math.h>

#include "check.h"

#define SEC    UINT64_C(1000000000)
#define HOUR   (3600 * SEC)
#define MIB    (INT64_C(1) << 20)
#define POINTS 8192

static struct growth_point points[POINTS];
static size_t count;

static int begin(void **state)
{
    (void)state;
    count = 0;
    return 0;
}

static void add(uint64_t time_ns, double mib)
{
    points[count++] = (struct growth_point){time_ns, (int64_t)(mib * (double)MIB)};
}

static struct growth judge(int64_t limit)
{
    struct growth growth;
    growth_judge(&(struct growth_question){.points = points, .count = count, .limit_bytes = limit},
                 &growth);
    return growth;
}

/* A value that looks like noise, the same every time. */
static double noise(size_t i)
{
    uint64_t const x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(x >> 40) / (double)(1 << 24) - 0.5;
}

TEST(a_steady_climb_is_growth_with_its_slope_and_the_time_to_the_limit)
{
    for (size_t i = 0; i < 360; i++)
        add(i * 10 * SEC, 100 + 60.0 * (double)i / 360 + noise(i));
    struct growth const growth = judge(460 * MIB);
    assert_int_equal(growth.verdict, GROWTH_GROWING);
    assert_int_equal(growth.rule, GROWTH_BY_WINDOW);
    double const per_hour = growth.slope * 3600 / (double)MIB;
    CHECK(per_hour > 58 && per_hour < 62);
    CHECK(growth.slope_low <= growth.slope && growth.slope <= growth.slope_high);
    CHECK(growth.confidence > 0.999);
    CHECK(growth.limit_ns > 4.8 * HOUR && growth.limit_ns < 5.2 * HOUR);
    CHECK(growth.limit_early_ns <= growth.limit_ns && growth.limit_ns <= growth.limit_late_ns);
}

TEST(without_growth_or_limit_there_is_no_time_to_it)
{
    for (size_t i = 0; i < 360; i++)
        add(i * 10 * SEC, 100 + noise(i));
    struct growth growth = judge(200 * MIB);
    assert_int_equal(growth.verdict, GROWTH_STEADY);
    CHECK(growth.limit_ns == GROWTH_NEVER);
    for (size_t i = 0; i < 360; i++)
        points[i].value += (int64_t)i * MIB;
    growth = judge(0);
    assert_int_equal(growth.verdict, GROWTH_GROWING);
    CHECK(growth.limit_ns == GROWTH_NEVER);
    CHECK(judge(100 * MIB).limit_ns == 0); /* it is past it */
}

TEST(garbage_that_is_collected_is_no_growth)
{
    for (size_t i = 0; i < 720; i++)
        add(i * 5 * SEC, 100 + 80 * fmod((double)i / 23, 1) + noise(i));
    assert_int_equal(judge(0).verdict, GROWTH_STEADY);
}

TEST(the_rise_after_a_collection_is_no_growth_before_it_is_above_all_that_was)
{
    for (size_t i = 0; i < 400; i++) /* two and a half wide teeth */
        add(i * SEC, 100 + 40 * fmod((double)i / 160, 1) + noise(i));
    CHECK(judge(0).verdict != GROWTH_GROWING);
}

/* Teeth of 4 s; the last one ends anywhere. */
TEST(a_saw_whose_last_tooth_is_not_finished_has_no_new_level)
{
    for (size_t tenths = 400; tenths < 520; tenths++) {
        count = 0;
        for (size_t i = 0; i <= tenths; i++)
            add(i * SEC / 10, 18.6 * fmod((double)i / 40, 1));
        struct growth const growth = judge(0);
        assert_int_equal(growth.verdict, GROWTH_STEADY);
        CHECK(growth.from_ns < SEC); /* said of the whole time */
    }
}

TEST(a_level_that_was_there_once_is_new_and_one_of_many_bursts_is_not)
{
    for (size_t i = 0; i < 360; i++)
        add(i * 10 * SEC, (i / 120 == 1 ? 150 : 100) + noise(i));
    assert_int_equal(judge(0).verdict, GROWTH_STEPPED);
    count = 0;
    for (size_t i = 0; i < 360; i++)
        add(i * 10 * SEC, (i / 40 % 2 ? 150 : 100) + noise(i));
    assert_int_equal(judge(0).verdict, GROWTH_STEADY);
}

TEST(a_drift_under_a_slow_saw_is_growth_with_its_slope)
{
    for (size_t i = 0; i < 1440; i++)
        add(i * 10 * SEC, 100 + 20 * fmod((double)i / 30, 1) + 40 * (double)i / 1440 + noise(i));
    struct growth const growth = judge(0);
    assert_int_equal(growth.verdict, GROWTH_GROWING);
    double const per_second = 40 * (double)MIB / 14400;
    CHECK(growth.slope_low <= per_second && per_second <= growth.slope_high);
}

TEST(what_slows_down_settles)
{
    for (size_t i = 0; i < 360; i++)
        add(i * 10 * SEC, 100 + 100 * (1 - exp(-(double)i / 60)) + noise(i));
    assert_int_equal(judge(0).verdict, GROWTH_SETTLING);
}

TEST(a_cache_that_is_full_settles)
{
    for (size_t i = 0; i < 360; i++)
        add(i * 10 * SEC, 100 + (i < 200 ? (double)i : 200) + noise(i));
    enum growth_verdict const verdict = judge(0).verdict;
    CHECK(verdict == GROWTH_SETTLING || verdict == GROWTH_STEPPED || verdict == GROWTH_STEADY);
}

TEST(a_jump_is_a_step)
{
    for (size_t i = 0; i < 360; i++)
        add(i * 10 * SEC, (i < 100 ? 100 : 150) + noise(i));
    assert_int_equal(judge(0).verdict, GROWTH_STEPPED);
}

TEST(a_climb_behind_a_jump_is_growth_from_there_on)
{
    for (size_t i = 0; i < 360; i++)
        add(i * 10 * SEC, (i < 60 ? 100 : 300 + (double)i * 0.5) + noise(i));
    struct growth const growth = judge(0);
    assert_int_equal(growth.verdict, GROWTH_GROWING);
    CHECK(growth.from_ns >= 550 * SEC && growth.from_ns <= 700 * SEC);
    CHECK(growth.first > 300 * MIB);
}

TEST(what_begins_to_grow_late_is_found_by_its_newest_part)
{
    for (size_t i = 0; i < 720; i++)
        add(i * 10 * SEC, 100 + (i > 400 ? ((double)i - 400) * 0.05 : 0) + noise(i));
    struct growth const growth = judge(0);
    assert_int_equal(growth.verdict, GROWTH_GROWING);
    assert_int_equal(growth.rule, GROWTH_BY_RECENT);
    CHECK(growth.from_ns >= 3590 * SEC);
}

TEST(a_wave_that_comes_every_day_is_none_of_it)
{
    for (size_t i = 0; i < 1440; i++)
        add(i * 60 * SEC, 100 + 10 * sin(6.2832 * (double)i / 1440 - 1.5) + noise(i));
    CHECK(judge(0).verdict != GROWTH_GROWING);
}

TEST(days_tell_what_hours_cannot)
{
    for (size_t i = 0; i < 7 * 144; i++)
        add(i * 600 * SEC, 100 + (double)i / 144 + 10 * sin(6.2832 * (double)i / 144) + noise(i));
    struct growth const growth = judge(0);
    assert_int_equal(growth.verdict, GROWTH_GROWING);
    assert_int_equal(growth.rule, GROWTH_BY_DAYS);
    double const per_day = growth.slope * 86400 / (double)MIB;
    CHECK(per_day > 0.8 && per_day < 1.2);
}

TEST(memory_that_shrinks_falls)
{
    for (size_t i = 0; i < 360; i++)
        add(i * 10 * SEC, 200 - 0.2 * (double)i + noise(i));
    assert_int_equal(judge(0).verdict, GROWTH_FALLING);
}

TEST(little_is_said_of_little)
{
    assert_int_equal(judge(0).verdict, GROWTH_UNKNOWN);
    add(0, 1);
    assert_int_equal(judge(0).verdict, GROWTH_UNKNOWN);
    for (size_t i = 1; i < 200; i++)
        add(i * SEC / 10, 1 + (double)i);
    assert_int_equal(judge(0).verdict, GROWTH_UNKNOWN); /* 20 s */
    count = 10;
    points[9].time_ns = HOUR;
    assert_int_equal(judge(0).verdict, GROWTH_UNKNOWN);
}

TEST(times_that_stand_still_and_wild_values_do_no_harm)
{
    for (size_t i = 0; i < 500; i++)
        add(7 * SEC, 5);
    assert_int_equal(judge(0).verdict, GROWTH_UNKNOWN);
    count = 0;
    for (size_t i = 0; i < 500; i++) {
        add(i * SEC, 0);
        points[i].value = i % 2 ? INT64_MAX : INT64_MIN;
    }
    CHECK(judge(INT64_MAX).verdict != GROWTH_GROWING);
    count = 0;
    for (size_t i = 0; i < 100; i++)
        add(i < 50 ? i : UINT64_MAX - 1000 + i, 1 + (double)i);
    judge(1);
}

TEST(growth_has_a_price_per_mark)
{
    uint64_t marks[50];
    struct growth growth;
    for (size_t i = 0; i < 500; i++)
        add(i * SEC, 10 + (double)(i / 10) * 0.5);
    for (size_t i = 0; i < 50; i++)
        marks[i] = i * 10 * SEC;
    growth_judge(
        &(struct growth_question){
            .points = points, .count = count, .marks = marks, .mark_count = 50},
        &growth);
    assert_int_equal(growth.marks_used, 50);
    CHECK(fabs(growth.bytes_per_mark - 0.5 * (double)MIB) < 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_steady_climb_is_growth_with_its_slope_and_the_time_to_the_limit,
                               begin),
        cmocka_unit_test_setup(without_growth_or_limit_there_is_no_time_to_it, begin),
        cmocka_unit_test_setup(garbage_that_is_collected_is_no_growth, begin),
        cmocka_unit_test_setup(
            the_rise_after_a_collection_is_no_growth_before_it_is_above_all_that_was, begin),
        cmocka_unit_test_setup(a_saw_whose_last_tooth_is_not_finished_has_no_new_level, begin),
        cmocka_unit_test_setup(a_level_that_was_there_once_is_new_and_one_of_many_bursts_is_not,
                               begin),
        cmocka_unit_test_setup(a_drift_under_a_slow_saw_is_growth_with_its_slope, begin),
        cmocka_unit_test_setup(what_slows_down_settles, begin),
        cmocka_unit_test_setup(a_cache_that_is_full_settles, begin),
        cmocka_unit_test_setup(a_jump_is_a_step, begin),
        cmocka_unit_test_setup(a_climb_behind_a_jump_is_growth_from_there_on, begin),
        cmocka_unit_test_setup(what_begins_to_grow_late_is_found_by_its_newest_part, begin),
        cmocka_unit_test_setup(a_wave_that_comes_every_day_is_none_of_it, begin),
        cmocka_unit_test_setup(days_tell_what_hours_cannot, begin),
        cmocka_unit_test_setup(memory_that_shrinks_falls, begin),
        cmocka_unit_test_setup(little_is_said_of_little, begin),
        cmocka_unit_test_setup(times_that_stand_still_and_wild_values_do_no_harm, begin),
        cmocka_unit_test_setup(growth_has_a_price_per_mark, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
