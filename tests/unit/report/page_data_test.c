/* SPDX-License-Identifier: Apache-2.0 */
/* What the page draws of two weighings and of growth: flame_diff.h and growth_answer.h. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "report/flame/flame_diff.h"
#include "report/rows/growth_answer.h"
#include "sample_recording.h"

#define SEC UINT64_C(1000000000)

static void check_has(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text ? text : "nothing");
}

/* heap.live at 10 s against at 30 s: CACHE 4 MiB to 2 MiB, TREE new with 512 KiB, the rest the
 * same. */
static char *render(enum diff_scale scale)
{
    struct sample sample = sample_create();
    struct weights weights[2];
    struct svg_out out = {0};
    struct fault fault = {.text = ""};
    const struct metric *live = metric_find("heap.live");
    CHECK(weigh_stacks(sample.recording, live, (struct time_range){0, 10 * SEC}, &weights[0],
                       &fault) == 0);
    CHECK(weigh_stacks(sample.recording, live, (struct time_range){0, 30 * SEC}, &weights[1],
                       &fault) == 0);
    struct flame_diff const diff = {.before = {sample.recording, &weights[0]},
                                    .after = {sample.recording, &weights[1]},
                                    .before_name = "sample",
                                    .scale = scale};
    struct flame_options const options = {.max_frames = 1000};
    CHECK(flame_diff_data_render(&diff, &options, &out, &fault) == 0);
    char *text = strndup(out.data, out.size);
    svg_out_fini(&out);
    weights_fini(&weights[0]);
    weights_fini(&weights[1]);
    sample_destroy(&sample);
    return text;
}

TEST(both_sides_and_what_each_lost_and_gained_are_told)
{
    char *text = render(SCALE_NONE);
    check_has(text, "{\"metric\":\"heap.live\",\"unit\":\"bytes\",\"scale\":1,");
    check_has(text, "\"before\":{\"value\":4198404,\"count\":6,");
    check_has(text, "\"after\":{\"value\":2625540,\"count\":5,");
    check_has(text, "\"grown\":524288,\"shrunk\":2097152,\"noise\":\"none\"");
    check_has(text, "\"kinds\":[\"same\",\"chance\",\"shrank_1\"");
    check_has(text, "\"total\":6823944,"); /* before and after together */
    check_has(text, "\"changes\":[4198404,2625540,6,5,0,");
    free(text);
}

TEST(the_older_side_is_told_as_it_is_compared)
{
    char *text = render(SCALE_TOTAL);
    check_has(text, "\"before\":{\"value\":2625540,\"count\":6,");
    check_has(text, "\"scale\":0.625");
    free(text);
}

TEST(growth_of_too_short_a_time_has_no_line_and_no_words)
{
    struct sample sample = sample_create();
    struct growth_answer answer;
    struct fault fault = {.text = ""};
    char *text = NULL;
    size_t size;
    CHECK(growth_answer_make(sample.recording, (struct time_range){0, UINT64_MAX}, &answer,
                             &fault) == 0);
    FILE *out = open_memstream(&text, &size);
    CHECK(growth_answer_write(&answer, out) == 0);
    fclose(out);
    check_has(text, "\"range\": {\"from_ns\": 0, \"to_ns\": 30000000000}");
    check_has(text, "\"heap\": \"\"");
    check_has(text, "\"verdict\": \"unknown\"");
    check_has(text, "\"line_bytes\": []");
    check_has(text, "\"site_curves\": []");
    free(text);
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_and_what_each_lost_and_gained_are_told),
        cmocka_unit_test(the_older_side_is_told_as_it_is_compared),
        cmocka_unit_test(growth_of_too_short_a_time_has_no_line_and_no_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
