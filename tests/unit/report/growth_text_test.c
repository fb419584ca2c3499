/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/growth_text.h"

#include <string.h>

#include "check.h"
#include "sample_recording.h"

#define SEC  UINT64_C(1000000000)
#define HOUR (3600 * SEC)
#define MIB  (INT64_C(1) << 20)

static struct growth growing(void)
{
    return (struct growth){.verdict = GROWTH_GROWING,
                           .rule = GROWTH_BY_WINDOW,
                           .to_ns = 5 * HOUR,
                           .first = 100 * MIB,
                           .last = 160 * MIB,
                           .slope = 12.0 * MIB / 3600,
                           .slope_low = 11.0 * MIB / 3600,
                           .slope_high = 13.0 * MIB / 3600,
                           .confidence = 0.999,
                           .limit_ns = 70 * HOUR,
                           .limit_early_ns = 60 * HOUR,
                           .limit_late_ns = 80 * HOUR};
}

static const char *render(const struct growth *growth, struct text_line *line)
{
    *line = (struct text_line){0};
    growth_render(growth, 1024 * MIB, line);
    return line->text;
}

TEST(growth_is_told_with_its_rate_and_its_limit)
{
    struct text_line line;
    struct growth growth = growing();
    assert_string_equal(
        render(&growth, &line),
        "grows by 12.0 MiB/h (11.0 MiB/h to 13.0 MiB/h), from 100 MiB to 160 MiB over the last "
        "5 h 00 min; at this rate it reaches 1.00 GiB in 2 d 22 h (2 d 12 h to 3 d 8 h)");
    growth.limit_ns = 0;
    CHECK(strstr(render(&growth, &line), "it is past its limit of 1.00 GiB"));
    growth.limit_ns = GROWTH_NEVER;
    CHECK(!strstr(render(&growth, &line), "reaches"));
    growth.to_ns = 60 * SEC;
    CHECK(strstr(render(&growth, &line), "205 KiB/min"));
}

TEST(every_verdict_has_words)
{
    static const struct {
        enum growth_verdict verdict;
        const char *says;
    } cases[] = {{GROWTH_UNKNOWN, "not measured for long enough"},
                 {GROWTH_STEADY, "is steady over 5 h"},
                 {GROWTH_FALLING, "falls, from 100 MiB to 160 MiB"},
                 {GROWTH_SETTLING, "slows down"},
                 {GROWTH_STEPPED, "jumped to a new level"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text_line line;
        struct growth growth = growing();
        growth.verdict = cases[i].verdict;
        if (!strstr(render(&growth, &line), cases[i].says))
            fail_msg("%s", line.text);
    }
}

TEST(a_recording_names_who_grows_with_its_callers)
{
    struct sample sample = sample_create();
    struct recording *recording = sample.recording;
    struct text_line line = {0};
    struct recording_growth growth = {.heap = growing(), .site_count = 1};
    growth.sites[0] = (struct growth_site){.function = recording_intern(recording, "cache_insert"),
                                           .stack = sample.stacks[SITE_CACHE],
                                           .slope = 1,
                                           .share = 0.8};
    recording_growth_render(recording, &growth, GROWTH_PART_SITES, &line);
    assert_string_equal(line.text, "by cache_insert < store_block < handle < main 80.0 %");
    line = (struct text_line){0};
    recording_growth_render(recording, &growth, GROWTH_PART_RSS, &line);
    assert_string_equal(line.text, ""); /* nothing is known */
    growth.rss = growing();
    growth.heap.verdict = GROWTH_STEADY;
    recording_growth_render(recording, &growth, GROWTH_PART_RSS, &line);
    CHECK(strstr(line.text, "but the heap does not grow"));
    CHECK(recording_growth_is_bad(&growth));
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_is_told_with_its_rate_and_its_limit),
        cmocka_unit_test(every_verdict_has_words),
        cmocka_unit_test(a_recording_names_who_grows_with_its_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
