/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot/line_chart.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "xml_check.h"

#define T0 INT64_C(1779926400000000)

static void check_number(double value, const char *unit, const char *wanted)
{
    char text[CHART_NUMBER_MAX];
    assert_string_equal(chart_number(value, unit, text), wanted);
}

TEST(numbers_are_short)
{
    check_number(0, "", "0");
    check_number(1.5, "", "1.5");
    check_number(12345, "", "12.3k");
    check_number(2e6, "", "2M");
    check_number(0.004, "s", "0.004 s");
    check_number(3 * 1024 * 1024, "bytes/s", "3 MiB/s");
    check_number(100, "bytes", "100 B");
    check_number(-2048, "bytes", "-2 KiB");
    check_number(20, "TPS", "20 TPS");
    check_number(5, "/s", "5/s");
    check_number(NAN, "", "-");
}

TEST(steps_are_round)
{
    CHECK(chart_step(10, "", 5) == 2 && chart_step(0.9, "", 5) == 0.2);
    CHECK(chart_step(5000000, "bytes", 5) == 1048576 && chart_step(0, "", 5) == 1);
}

TEST(a_chart_is_well_formed_and_has_gaps)
{
    struct chart_point const points[] = {{T0, 1},
                                         {T0 + 1000000, 2},
                                         {T0 + 2000000, NAN},
                                         {T0 + 3000000, 4},
                                         {T0 + 4000000, INFINITY}};
    struct chart_line const lines[] = {{"a<b>&\"", points, 5, -1}, {"none", NULL, 0, 3}};
    struct chart_lane const lanes[] = {{"first", "bytes", lines, 2, false},
                                       {"]]></script>", "", lines, 1, true},
                                       {"empty", "", NULL, 0, false}};
    struct line_chart const chart = {
        .title = "t", .subtitle = "s", .x_is_time = true, .lanes = lanes, .lane_count = 3};
    struct svg_out out = {0}, again = {0};
    line_chart_render(&chart, &out);
    line_chart_render(&chart, &again);
    CHECK(!out.failed && out.size == again.size && memcmp(out.data, again.data, out.size) == 0);
    size_t offset;
    CHECK(!xml_fault(out.data, out.size, &offset));
    svg_bytes(&out, "", 1);
    CHECK(strstr(out.data, "\"y\":[1,2,null,4,null]"));
    const char *curve = strstr(out.data, "class=\"curve l0\" d=\"M");
    CHECK(curve && strchr(curve + 22, 'M') < strstr(curve, "\"/>")); /* it is lifted once */
    svg_out_fini(&out);
    svg_out_fini(&again);
}

TEST(peaks_between_pixels_are_drawn)
{
    static struct chart_point points[100000];
    for (int i = 0; i < 100000; i++)
        points[i] = (struct chart_point){i, i == 50001 ? 1000 : 1};
    struct chart_line const line = {"x", points, 100000, -1};
    struct chart_lane const lane = {"x", "", &line, 1, false};
    struct line_chart const chart = {
        .title = "t", .subtitle = "s", .x_title = "round", .lanes = &lane, .lane_count = 1};
    struct svg_out out = {0};
    line_chart_render(&chart, &out);
    svg_bytes(&out, "", 1);
    const char *curve = strstr(out.data, "class=\"curve l0\"");
    CHECK(curve && strstr(curve, " 94L") && strstr(curve, " 94L") < strstr(curve, "\"/>"));
    svg_out_fini(&out);
}

TEST(the_end_of_all_numbers_ends_the_axis)
{
    struct chart_point const points[] = {{-T0, 1}, {INT64_MAX, 2}};
    struct chart_line const lines[] = {{"all", points, 2, -1}};
    struct chart_lane const lanes[] = {{"lane", "", lines, 1, false}};
    for (int is_time = 0; is_time < 2; is_time++) {
        struct line_chart const chart = {
            .title = "t", .subtitle = "s", .x_is_time = is_time, .lanes = lanes, .lane_count = 1};
        struct svg_out out = {0};
        size_t offset;
        line_chart_render(&chart, &out);
        CHECK(!out.failed && !xml_fault(out.data, out.size, &offset));
        svg_out_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_short),
                                       cmocka_unit_test(steps_are_round),
                                       cmocka_unit_test(a_chart_is_well_formed_and_has_gaps),
                                       cmocka_unit_test(peaks_between_pixels_are_drawn),
                                       cmocka_unit_test(the_end_of_all_numbers_ends_the_axis)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
