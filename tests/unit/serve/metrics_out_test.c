/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/metrics/metrics_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static char *text;
static size_t size;
static struct metrics_out out;

static void open_text(enum metrics_format format)
{
    metrics_init(&out, open_memstream(&text, &size), format);
}

static void is_written(const char *expected)
{
    CHECK(metrics_finish(&out) == 0);
    fclose(out.file);
    assert_string_equal(text, expected);
    free(text);
}

TEST(a_gauge)
{
    open_text(METRICS_TEXT);
    metrics_family(&out, "x_bytes", "gauge", "bytes", "Bytes of x.");
    metrics_uint(&out, NULL, 0, UINT64_MAX);
    is_written("# HELP x_bytes Bytes of x.\n# TYPE x_bytes gauge\nx_bytes 18446744073709551615\n");
}

TEST(openmetrics_has_units_base_names_and_an_end)
{
    open_text(METRICS_OPEN);
    metrics_family(&out, "x_bytes_total", "counter", "bytes", "Bytes \"of\" x.");
    metrics_uint(&out, &(struct metrics_label){"a", "b"}, 1, 1);
    is_written("# HELP x_bytes Bytes \\\"of\\\" x.\n# TYPE x_bytes counter\n# UNIT x_bytes bytes\n"
               "x_bytes_total{a=\"b\"} 1\n# EOF\n");
}

TEST(help_and_labels_are_escaped)
{
    const struct metrics_label labels[] = {{"function", "a\"b\\c\nd"}, {"module", "}=,#"}};
    open_text(METRICS_TEXT);
    metrics_family(&out, "x", "gauge", "", "back\\slash\nand \"quotes\"");
    metrics_int(&out, labels, 2, -5);
    is_written("# HELP x back\\\\slash\\nand \"quotes\"\n# TYPE x gauge\n"
               "x{function=\"a\\\"b\\\\c\\nd\",module=\"}=,#\"} -5\n");
}

TEST(what_is_no_utf8_is_replaced)
{
    struct metrics_label const label = {"f", "a\xff\xc3(\xe2\x82\xac\xed\xa0\x80"};
    open_text(METRICS_TEXT);
    metrics_family(&out, "x", "gauge", "", "");
    metrics_int(&out, &label, 1, 0);
    is_written("# HELP x \n# TYPE x gauge\nx{f=\"a\xef\xbf\xbd\xef\xbf\xbd(\xe2\x82\xac"
               "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"} 0\n");
}

TEST(reals_are_short_and_exact)
{
    open_text(METRICS_TEXT);
    metrics_family(&out, "x", "gauge", "", "h");
    metrics_real(&out, NULL, 0, 0.1);
    metrics_real(&out, NULL, 0, 1794756390.3827837);
    metrics_real(&out, NULL, 0, 1.0 / 3);
    metrics_real(&out, NULL, 0, NAN);
    metrics_real(&out, NULL, 0, INFINITY);
    metrics_real(&out, NULL, 0, -INFINITY);
    is_written("# HELP x h\n# TYPE x gauge\nx 0.1\nx 1794756390.3827837\nx 0.3333333333333333\n"
               "x NaN\nx +Inf\nx -Inf\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gauge),
        cmocka_unit_test(openmetrics_has_units_base_names_and_an_end),
        cmocka_unit_test(help_and_labels_are_escaped),
        cmocka_unit_test(what_is_no_utf8_is_replaced),
        cmocka_unit_test(reals_are_short_and_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
