/* SPDX-License-Identifier: Apache-2.0 */
/* row_error_test.c - rows of a recording from which events are missing: how far off they may be,
 * and that nobody knows it where nobody does. */
#include "report/rows/report.h"

#include "check.h"

static struct bucket buckets[3] = {{.begin_ns = 0, .end_ns = 100},
                                   {.begin_ns = 100, .end_ns = 200, .lost_events = 30},
                                   {.begin_ns = 200, .end_ns = 300}};

/* 20 allocations of 5,000 bytes and 10 frees were lost in the middle; of what is live at the end
 * 700 bytes are in doubt. */
static struct recording recording = {.duration_ns = 300,
                                     .buckets = {buckets, 3, 3},
                                     .quality = {.lost_events = 30,
                                                 .lost_calls = 20,
                                                 .lost_bytes = 5000,
                                                 .lost_frees = 10,
                                                 .longest_gap_ns = 40,
                                                 .live_doubt_bytes = 700}};

static struct report report_of(const char *metric, uint64_t from_ns, uint64_t to_ns)
{
    return (struct report){.recording = &recording,
                           .question = {.metric = metric_find(metric)},
                           .weights = {.used = {from_ns, to_ns}}};
}

static int64_t error_of(const char *metric, uint64_t from_ns, uint64_t to_ns, int64_t value)
{
    struct report const report = report_of(metric, from_ns, to_ns);
    return report_error(&report, (struct report_value){value, 1, 0});
}

static bool has_losses(const char *metric, uint64_t from_ns, uint64_t to_ns)
{
    struct report const report = report_of(metric, from_ns, to_ns);
    return report_has_losses(&report);
}

TEST(losses_are_those_of_the_time_asked_for)
{
    CHECK(has_losses("heap.allocated", 0, 300) && has_losses("heap.allocated", 100, 200));
    CHECK(!has_losses("heap.allocated", 200, 300) && !has_losses("heap.allocated", 0, 50));
    CHECK(has_losses("heap.allocated", 0, 70)); /* a gap that is told later may have begun */
    CHECK(has_losses("heap.live", 0, 300) && has_losses("heap.live", 250, 300));
    CHECK(!has_losses("heap.live", 0, 50));
    CHECK(!has_losses("maps.live", 0, 300));
    recording.quality.lost_events = 31; /* one of which nobody tells the time */
    CHECK(has_losses("heap.allocated", 200, 300));
    recording.quality.lost_events = 30;
}

TEST(an_error_has_what_was_lost)
{
    CHECK(error_of("heap.allocated", 0, 300, 900) == 5000);
    CHECK(error_of("heap.allocated", 200, 300, 900) == 0);
    CHECK(error_of("heap.calls", 0, 300, 900) == 20);
    CHECK(error_of("heap.allocated", 0, 300, 0) ==
          5000); /* who is only a caller by what is known */
    CHECK(error_of("heap.leaked", 0, 300, 900) == 5000);
    recording.quality.lost_bytes = 100;
    CHECK(error_of("heap.leaked", 0, 300, 900) == 700 &&
          error_of("heap.leaked", 0, 300, 400) == 400);
    CHECK(error_of("heap.live", 0, 200, 900) == 900); /* then, all of it may have been gone */
    CHECK(error_of("heap.peak", 0, 200, 900) == 100);
    recording.quality.peak_doubt_bytes = 1;
    CHECK(error_of("heap.peak", 0, 200, 900) == 900);
    recording.quality.lost_bytes = 5000;
    recording.quality.peak_doubt_bytes = 0;
}

TEST(an_error_that_nobody_knows_is_none)
{
    CHECK(error_of("heap.live", 150, 300, 900) == REPORT_ERROR_UNKNOWN);
    CHECK(error_of("heap.freed", 0, 300, 900) == REPORT_ERROR_UNKNOWN);
    CHECK(error_of("heap.temporary", 0, 300, 900) == REPORT_ERROR_UNKNOWN);
}

TEST(what_was_lost_comes_on_top_of_chance)
{
    recording.quality.sample_rate = 8192;
    recording.quality.has_spread = 1;
    CHECK(error_of("heap.allocated", 0, 300, 900) > 5000);
    CHECK(error_of("heap.allocated", 200, 300, 900) > 0);
    CHECK(error_of("heap.allocated", 0, 300, 900) - error_of("heap.allocated", 200, 300, 900) ==
          5000);
    CHECK(error_of("heap.calls", 0, 300, 900) == REPORT_ERROR_UNKNOWN);
    recording.quality.sample_rate = recording.quality.has_spread = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_those_of_the_time_asked_for),
        cmocka_unit_test(an_error_has_what_was_lost),
        cmocka_unit_test(an_error_that_nobody_knows_is_none),
        cmocka_unit_test(what_was_lost_comes_on_top_of_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
