/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/metrics/openmetrics_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static char text[2048];

static const char *written(const struct openmetrics_sample *sample, const char *help)
{
    FILE *out = fmemopen(text, sizeof(text), "w");
    if (help)
        openmetrics_family_write(sample->family, help, out);
    openmetrics_sample_write(sample, out);
    fclose(out);
    return text;
}

TEST(counters_end_in_total_and_texts_are_escaped)
{
    struct exposition_label const own[] = {{"l.1", "a\"b\\c\nd\xff"}, {"n", "mine"}},
                                  more[] = {{"n", "r1"}, {"role", "relay"}};
    struct exposition_series const series = {.name = "calls", .labels = own, .label_count = 2};
    struct exposition_family const declared = {.name = "calls", .type = EXPOSITION_COUNTER};
    struct openmetrics_family family;
    openmetrics_family_of(&declared, "calls", &family);
    struct openmetrics_sample const sample = {.family = &family,
                                              .series = &series,
                                              .more = more,
                                              .more_count = 2,
                                              .value = {.whole = UINT64_MAX, .is_whole = true},
                                              .time_us = 1520879607789000};
    assert_string_equal(written(&sample, "a \"b\"\nc"),
                        "# TYPE calls counter\n# HELP calls a 'b'\\nc\n"
                        "calls_total{n=\"r1\",role=\"relay\",l_1=\"a\\\"b\\\\c\\nd\xef\xbf\xbd\","
                        "exported_n=\"mine\"} 18446744073709551615 1520879607.789\n");
}

TEST(families_are_those_of_openmetrics)
{
    static const struct {
        const char *declared;
        enum exposition_type type;
        const char *sample, *family;
        enum exposition_type result;
    } rows[] = {{"x_total", EXPOSITION_COUNTER, "x_total", "x", EXPOSITION_COUNTER},
                {"x", EXPOSITION_COUNTER, "x_total", "x", EXPOSITION_COUNTER},
                {"x", EXPOSITION_COUNTER, "x_created", "x_created", EXPOSITION_UNKNOWN},
                {"h", EXPOSITION_HISTOGRAM, "h_bucket", "h", EXPOSITION_HISTOGRAM},
                {"s", EXPOSITION_SUMMARY, "s", "s", EXPOSITION_SUMMARY},
                {"g", EXPOSITION_GAUGE, "g", "g", EXPOSITION_GAUGE},
                {"u", EXPOSITION_UNKNOWN, "u", "u", EXPOSITION_UNKNOWN}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct exposition_family const declared = {.name = rows[i].declared, .type = rows[i].type};
        struct openmetrics_family family;
        openmetrics_family_of(&declared, rows[i].sample, &family);
        assert_string_equal(family.name, rows[i].family);
        CHECK(family.type == rows[i].result);
    }
}

TEST(numbers_come_back_as_they_were)
{
    struct exposition_series const series = {.name = "g"};
    struct openmetrics_family const family = {.name = "g", .type = EXPOSITION_GAUGE};
    struct openmetrics_sample sample = {.family = &family, .series = &series, .time_us = 5000000};
    sample.value.real = 0.1;
    assert_string_equal(written(&sample, NULL), "g 0.1 5\n");
    sample.value.real = 1.0 / 3;
    CHECK(strtod(written(&sample, NULL) + 2, NULL) == 1.0 / 3);
    sample.value.real = -INFINITY;
    assert_string_equal(written(&sample, NULL), "g -Inf 5\n");
    sample.value.real = NAN;
    assert_string_equal(written(&sample, NULL), "g NaN 5\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_end_in_total_and_texts_are_escaped),
        cmocka_unit_test(families_are_those_of_openmetrics),
        cmocka_unit_test(numbers_come_back_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
