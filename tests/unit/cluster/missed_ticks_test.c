/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/metrics/missed_ticks.h"

#include "check.h"

#define S 1000000

/* How many ticks these answers, in seconds, leave out. */
static size_t missed_of(const struct run *run, const int64_t *seconds, size_t count, int64_t end)
{
    tick_list stamps = {0}, missed = {0};
    for (size_t i = 0; i < count; i++)
        CHECK(vec_push(&stamps, seconds[i] * S));
    CHECK(missed_ticks(run, &stamps, end * S, &missed) == 0);
    for (size_t i = 1; i < missed.count; i++)
        CHECK(missed.items[i] > missed.items[i - 1]);
    size_t const answer = missed.count;
    vec_free(&stamps);
    vec_free(&missed);
    return answer;
}
#define MISSED(run, end, ...)                                                                      \
    missed_of(run, (const int64_t[]){__VA_ARGS__},                                                 \
              sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), end)

TEST(without_a_manifest_the_usual_time_between_answers_counts)
{
    struct run const run = {0};
    CHECK(MISSED(&run, 40, 0, 10, 20, 30, 40) == 0);
    CHECK(MISSED(&run, 50, 0, 10, 20, 50) == 2);
    CHECK(MISSED(&run, 41, 0, 9, 20, 31, 41) == 0); /* a little early, a little late */
    CHECK(MISSED(&run, 60, 0, 10, 20, 30) == 3);    /* the end */
    CHECK(MISSED(&run, 35, 0, 10, 20, 30) == 0);    /* others are asked at other times */
    CHECK(MISSED(&run, 70, 10) == 0 && missed_of(&run, NULL, 0, 70) == 0);
    CHECK(MISSED(&run, INT32_MAX, 0, 1, 2, INT32_MAX) == MISSED_MAX);
}

TEST(with_one_it_is_what_was_asked_for)
{
    struct run run = {0};
    CHECK(vec_push(&run.segments, ((struct run_segment_times){100 * S, 10 * S})));
    CHECK(vec_push(&run.segments, ((struct run_segment_times){1000 * S, 60 * S})));
    CHECK(MISSED(&run, 1060, 100, 110, 120, 1000, 1060) == 0); /* the pause is none, nor are 60 s */
    CHECK(MISSED(&run, 1240, 100, 140, 1000, 1240) == 3 + 3);
    CHECK(MISSED(&run, 130, 99, 130) == 2);
    run.segments.items[1].every_us = 0; /* one snapshot */
    CHECK(MISSED(&run, 2000, 1000, 2000) == 0);
    vec_free(&run.segments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_manifest_the_usual_time_between_answers_counts),
        cmocka_unit_test(with_one_it_is_what_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
