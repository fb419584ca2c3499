/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/metrics/exposition.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

struct seen {
    struct exposition *exposition;
    char text[4096]; /* "name{label=value,…} number" per line */
    struct exposition_sample last;
    unsigned count;
};

static void add_sample(void *context, const struct exposition_sample *sample)
{
    struct seen *seen = context;
    const struct exposition_series *series = exposition_series(seen->exposition, sample->series);
    size_t used = strlen(seen->text);
#define ADD(...) used += (size_t)snprintf(seen->text + used, sizeof(seen->text) - used, __VA_ARGS__)
    ADD("%s{", series->name);
    for (uint32_t i = 0; i < series->label_count; i++)
        ADD("%s%s=%s", i ? "," : "", series->labels[i].name, series->labels[i].value);
    if (sample->value.is_whole)
        ADD("} %llu\n", (unsigned long long)sample->value.whole);
    else
        ADD("} %.17g\n", sample->value.real);
    seen->last = *sample;
    seen->count++;
}

static int read_as(struct seen *seen, const char *text, enum exposition_dialect dialect)
{
    char *room = exposition_room(seen->exposition, strlen(text));
    CHECK(room);
    memcpy(room, text, strlen(text));
    seen->text[0] = '\0';
    seen->count = 0;
    return exposition_read(seen->exposition, strlen(text), dialect, add_sample, seen);
}

/* One line, alone, as 0.0.4: what was understood. */
static const char *line(const char *text)
{
    static struct seen seen;
    static char bad[32];
    memset(&seen, 0, sizeof(seen));
    seen.exposition = exposition_create();
    CHECK(read_as(&seen, text, EXPOSITION_TEXT) == 0);
    if (exposition_tally(seen.exposition)->bad_lines)
        snprintf(bad, sizeof(bad), "bad");
    bool const is_bad = exposition_tally(seen.exposition)->bad_lines > 0;
    exposition_destroy(seen.exposition);
    return is_bad ? bad : seen.text;
}

TEST(lines_of_the_reference)
{
    assert_string_equal(line("a 1\n"), "a{} 1\n");
    assert_string_equal(line("a 1"), "a{} 1\n"); /* the last line without its end */
    assert_string_equal(line("a{} 1\n"), "a{} 1\n");
    assert_string_equal(line("  a { x = \"1\" , } 2 \n"), "a{x=1} 2\n");
    assert_string_equal(line("a{x=\"p,q=r}\"} 3\n"), "a{x=p,q=r}} 3\n");
    assert_string_equal(line("a{x=\"C:\\\\d\\n\\\"q\\\"\"} 4\n"), "a{x=C:\\d\n\"q\"} 4\n");
    assert_string_equal(line("a 1e+06\n"), "a{} 1000000\n");
    assert_string_equal(line("a 18446744073709551615\n"), "a{} 18446744073709551615\n");
    assert_string_equal(line("a NaN\n"), "a{} nan\n");
    assert_string_equal(line("a +Inf\n"), "a{} inf\n");
    assert_string_equal(line("a -Inf\n"), "a{} -inf\n");
    assert_string_equal(line("{\"my.metric\",\"k.1\"=\"v\"} 5\n"), "my.metric{k.1=v} 5\n");
    assert_string_equal(line("a{y=\"2\",x=\"1\"} 6\n"), "a{x=1,y=2} 6\n");
    assert_string_equal(line("a{x=\"\"} 7\n"), "a{} 7\n");
    assert_string_equal(line("a .5\n"), "a{} 0.5\n");
    assert_string_equal(line("a 5.\n"), "a{} 5\n");
    assert_string_equal(line("a -3\r\n"), "a{} -3\n");
    assert_string_equal(line("a{x=\"1\"}2\n"), "a{x=1} 2\n");
}

TEST(lines_that_are_none)
{
    static const char *const wrong[] = {"a{x=\"1\" 8\n",
                                        "a{x=1} 8\n",
                                        "1a 8\n",
                                        "a\n",
                                        "a 0x10\n",
                                        "a{x=\"\\q\"} 1\n",
                                        "a 1_000\n",
                                        "a 1 2 3\n",
                                        "a 1 x\n",
                                        "a{x=\"1\",x=\"1\"} 1\n",
                                        "a{,} 1\n",
                                        "a{x=\"1} 1\n",
                                        "{} 1\n",
                                        "a{__name__=\"b\"} 1\n",
                                        "a 1e\n",
                                        "a --1\n",
                                        "a +nan1\n",
                                        "a 1 1.5\n",
                                        "a 1 # {x=\"1\"} 2\n"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_string_equal(line(wrong[i]), "bad");
}

TEST(a_bad_line_costs_itself)
{
    struct seen seen = {.exposition = exposition_create()};
    CHECK(read_as(&seen, "a 1\nb 1e+06\nno\x01pe\nc 3\n\n# any comment\nd{l=\"x,y\"} NaN\n",
                  EXPOSITION_TEXT) == 0);
    assert_string_equal(seen.text, "a{} 1\nb{} 1000000\nc{} 3\nd{l=x,y} nan\n");
    const struct exposition_tally *tally = exposition_tally(seen.exposition);
    CHECK(tally->bad_lines == 1 && tally->first_bad_line == 3 && tally->samples == 4);
    assert_string_equal(tally->first_bad_text, "no?pe");
    exposition_destroy(seen.exposition);
}

TEST(times_are_milliseconds_or_seconds)
{
    struct seen seen = {.exposition = exposition_create()};
    CHECK(read_as(&seen, "a 1 1395066363000\n", EXPOSITION_BY_END) == 0);
    CHECK(seen.last.has_time && seen.last.time_us == 1395066363000000);
    CHECK(read_as(&seen, "a_total 5 1520879607.789 # {trace_id=\"t\"} 0.5\n# EOF\n",
                  EXPOSITION_BY_END) == 0);
    CHECK(seen.last.has_time && seen.last.time_us == 1520879607789000 &&
          seen.last.value.whole == 5);
    CHECK(read_as(&seen, "a_total 5\n", EXPOSITION_OPENMETRICS) == -EBADMSG); /* cut off */
    CHECK(read_as(&seen, "a_total x\nb 1\n# EOF\n", EXPOSITION_OPENMETRICS) == -EBADMSG);
    assert_string_equal(seen.text, "b{} 1\n");
    CHECK(read_as(&seen, "# EOF\nb 1\n", EXPOSITION_OPENMETRICS) == -EBADMSG);
    exposition_destroy(seen.exposition);
}

TEST(series_are_the_same_whatever_the_order_and_whatever_comes_between)
{
    struct seen seen = {.exposition = exposition_create()};
    CHECK(read_as(&seen, "# TYPE a counter\na{x=\"1\",y=\"2\"} 1\nb 2\nc 3\n", 0) == 0);
    CHECK(exposition_series_count(seen.exposition) == 3);
    CHECK(read_as(&seen, "# TYPE a counter\na{y=\"2\",x=\"1\"} 10\nnew 5\nb 20\nc 30\n", 0) == 0);
    assert_string_equal(seen.text, "a{x=1,y=2} 10\nnew{} 5\nb{} 20\nc{} 30\n");
    CHECK(read_as(&seen, "c 31\nbc 1\nb 21 \nnew 5.5\nb 22\na {x=\"1\",y=\"2\"} 11", 0) == 0);
    assert_string_equal(seen.text, "c{} 31\nbc{} 1\nb{} 21\nnew{} 5.5\nb{} 22\na{x=1,y=2} 11\n");
    CHECK(exposition_series_count(seen.exposition) == 5);
    CHECK(exposition_tally(seen.exposition)->repeated == 1);
    exposition_destroy(seen.exposition);
}

TEST(the_same_lines_again_give_the_new_numbers)
{
    struct seen seen = {.exposition = exposition_create()};
    char text[256];
    for (unsigned i = 0; i < 5; i++) {
        snprintf(text, sizeof(text),
                 "# HELP a of it\n# TYPE a counter\na %u\n# TYPE b gauge\nb{l=\"{ }\"} %u.5\nc "
                 "%u%s\n",
                 i * 100, i, i, i == 3 ? " 1000" : "");
        CHECK(read_as(&seen, text, EXPOSITION_TEXT) == 0);
        CHECK(seen.count == 3 && seen.last.value.whole == i && seen.last.has_time == (i == 3));
    }
    assert_string_equal(seen.text, "a{} 400\nb{l={ }} 4.5\nc{} 4\n");
    CHECK(exposition_tally(seen.exposition)->bad_lines == 0);
    exposition_destroy(seen.exposition);
}

TEST(families_tell_what_counts_up)
{
    struct seen seen = {.exposition = exposition_create()};
    CHECK(
        read_as(&seen,
                "# HELP h seconds \\\\ and \\n more\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\n"
                "h_sum 1\nh_count 1\n# TYPE foo_count gauge\nfoo_count 3\n# TYPE c COUNTER\nc 1\n"
                "# TYPE s summary\ns{quantile=\"0.5\"} 1\ns_sum 2\nc_total 3\nplain_total 4\n",
                0) == 0);
    static const bool cumulative[] = {true, true, true, false, true, false, true, true, false};
    for (uint32_t i = 0; i < 9; i++)
        CHECK(exposition_series(seen.exposition, i)->is_cumulative == cumulative[i]);
    const struct exposition_family *family =
        exposition_family(seen.exposition, exposition_series(seen.exposition, 1)->family);
    assert_string_equal(family->name, "h");
    assert_string_equal(family->help, "seconds \\ and \n more");
    CHECK(family->type == EXPOSITION_HISTOGRAM);
    exposition_destroy(seen.exposition);
}

TEST(differences_of_large_counters_are_exact)
{
    struct exposition_value const a = {.real = 9007199254740993e0,
                                       .whole = 9007199254740993u,
                                       .is_whole = true},
                                  b = {.real = 9007199254740994e0,
                                       .whole = 9007199254740994u,
                                       .is_whole = true};
    CHECK(exposition_difference(a, b) == 1 && exposition_difference(b, a) == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_the_reference),
        cmocka_unit_test(lines_that_are_none),
        cmocka_unit_test(a_bad_line_costs_itself),
        cmocka_unit_test(times_are_milliseconds_or_seconds),
        cmocka_unit_test(series_are_the_same_whatever_the_order_and_whatever_comes_between),
        cmocka_unit_test(the_same_lines_again_give_the_new_numbers),
        cmocka_unit_test(families_tell_what_counts_up),
        cmocka_unit_test(differences_of_large_counters_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
