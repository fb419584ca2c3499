/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/side_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "folded_recording.h"

#define SEC 1000000000LL

static struct recording *recording;
static struct side_by_side sides;
static struct side_view view;
static char *text;
static size_t text_size;

static int begin(void **state)
{
    (void)state;
    recording = folded_create();
    folded_add(recording, "main;parse;read", COL_CPU_NS, 3 * SEC / 2);
    folded_add(recording, "main;parse;read", COL_CPU_SAMPLES, 150);
    folded_add(recording, "main;parse", COL_CPU_NS, SEC / 2);
    folded_add(recording, "main;parse", COL_CPU_SAMPLES, 50);
    folded_add(recording, "main;parse;malloc", COL_HEAP_BYTES, 4 << 20);
    folded_add(recording, "main;parse;malloc", COL_HEAP_CALLS, 64);
    folded_add(recording, "main;evil\033[31m\",\n<name>;malloc", COL_HEAP_BYTES, 1 << 20);
    folded_add(recording, "main;evil\033[31m\",\n<name>;malloc", COL_HEAP_CALLS, 1);
    view = (struct side_view){.top = SIDE_NO_TOP};
    struct side_question const question = {.metrics = {metric_find("cpu.on"),
                                                       metric_find("heap.allocated"),
                                                       metric_find("heap.calls")},
                                           .count = 3,
                                           .range = TIME_ALL,
                                           .by = BY_FUNCTION};
    return side_by_side_build(recording, &question, &sides, NULL);
}

static int end(void **state)
{
    (void)state;
    side_by_side_fini(&sides);
    recording_destroy(recording);
    free(text);
    text = NULL;
    return 0;
}

static void write_text(void)
{
    struct text_style const style = {0};
    FILE *out = open_memstream(&text, &text_size);
    CHECK(side_text_write(recording, &sides, &view, &style, out) == 0);
    fclose(out);
}

static void check_has(const char *wanted)
{
    if (!strstr(text, wanted))
        fail_msg("no \"%s\" in:\n%s", wanted, text);
}

TEST(text_has_a_line_per_metric_and_a_row_per_function)
{
    write_text();
    check_has("cpu.on: 2.00 s in 200 samples, whole run, 2.00 s (time on a processor)\n");
    check_has("heap.allocated: 5.00 MiB in 65 blocks, whole run, 2.00 s");
    check_has("ratios are of the totals: heap.allocated per second of cpu.on; heap.allocated per "
              "heap.calls\n");
    check_has("    2.00 s      500 ms    4.00 MiB    4.00 MiB    2.00 MiB/s          64          "
              "64      64.0 KiB  parse [program]\n");
    check_has("    1.50 s      1.50 s         0 B         0 B         0 B/s           0           "
              "0             -  read [program]\n");
    CHECK(strstr(text, "read [program]") < strstr(text, "parse [program]")); /* by self */
    CHECK(!strchr(text, '\033'));
}

TEST(a_tree_has_the_same_columns)
{
    view.top_down = true;
    write_text();
    check_has("    2.00 s    5.00 MiB    2.50 MiB/s          65      78.8 KiB  main [program]\n");
    check_has(
        "    2.00 s    4.00 MiB    2.00 MiB/s          64      64.0 KiB    parse [program]\n");
    check_has("    1.50 s         0 B         0 B/s           0             -    read [program]\n");
}

TEST(rows_can_be_few)
{
    view.top = 1;
    write_text();
    check_has("3 more, see --top and --threshold");
    CHECK(!strstr(text, "parse [program]"));
}

TEST(csv_has_a_row_on_a_line)
{
    FILE *out = open_memstream(&text, &text_size);
    side_csv_write(recording, &sides, &view, out);
    fclose(out);
    check_has("cpu.on,cpu.on.count,cpu.on.total,cpu.on.total_count,heap.allocated,");
    check_has("heap.allocated/cpu.on,heap.allocated/heap.calls,function,module,file,line,thread\n");
    check_has("500000000,50,2000000000,200,4194304,64,4194304,64,64,64,64,64,2.09715e+06,65536,"
              "parse,/bin/program,,0,\n");
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    CHECK(lines == 5); /* a heading, main, parse, read and the evil one */
}

TEST(json_has_rows_or_a_tree)
{
    FILE *out = open_memstream(&text, &text_size);
    CHECK(side_json_write(recording, &sides, &view, out) == 0);
    fclose(out);
    check_has("{\"of\": \"heap.allocated\", \"per\": \"cpu.on\", \"unit\": \"bytes/s\"}");
    check_has("\"rows\": [");
    check_has("\"ratios\": [2097152, 65536]");
    check_has("\"ratios\": [0, null]");
    free(text);
    view.top_down = true;
    out = open_memstream(&text, &text_size);
    CHECK(side_json_write(recording, &sides, &view, out) == 0);
    fclose(out);
    check_has("\"tree\": [");
    check_has("\"function\": \"all\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_has_a_line_per_metric_and_a_row_per_function, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_tree_has_the_same_columns, begin, end),
        cmocka_unit_test_setup_teardown(rows_can_be_few, begin, end),
        cmocka_unit_test_setup_teardown(csv_has_a_row_on_a_line, begin, end),
        cmocka_unit_test_setup_teardown(json_has_rows_or_a_tree, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
