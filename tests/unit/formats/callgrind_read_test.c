/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_tree.h"
#include "check.h"
#include "export_to.h"
#include "formats/shared/readers.h"
#include "sample_recording.h"

static struct recording *read_text(const char *text)
{
    struct fault fault = {.text = ""};
    CHECK(callgrind_recognise((struct slice){text, strlen(text)}));
    struct recording *recording = callgrind_read_bytes(text, strlen(text), &fault);
    if (!recording)
        fail_msg("%s", fault.text);
    return recording;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* "outer;inner:LINE VALUE" of every row, sorted. */
static void check_rows(struct recording *recording, const char *metric, const char *want)
{
    struct weights weights;
    struct fault fault = {.text = ""};
    char rows[32][256] = {0}, text[4096] = "";
    if (weigh_stacks(recording, metric_find(metric), TIME_ALL, &weights, &fault) < 0)
        fail_msg("%s", fault.text);
    CHECK(weights.rows.count <= 32);
    for (size_t i = 0; i < weights.rows.count; i++) {
        struct shown_frame frames[16];
        size_t const size = stack_show(recording, weights.rows.items[i].key, frames, 16);
        for (size_t k = size; k-- > 0;) {
            strcat(rows[i], recording_text(recording, frames[k].function));
            strcat(rows[i], k ? ";" : "");
        }
        sprintf(rows[i] + strlen(rows[i]), ":%u %ld\n", frames[0].line,
                (long)weights.rows.items[i].value);
    }
    qsort(rows, weights.rows.count, sizeof(rows[0]), by_text);
    for (size_t i = 0; i < weights.rows.count; i++)
        strcat(text, rows[i]);
    weights_fini(&weights);
    assert_string_equal(text, want);
}

/* Names by number, positions that refer to the one before, files inside a function, several
 * parts. */
TEST(own_costs_are_exact)
{
    struct recording *recording =
        read_text("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd:  ./x y\n"
                  "positions: instr line\nevents: Ir Dr\nsummary: 36 2\n\n"
                  "ob=(1) /bin/x\nfl=(1) a.c\nfn=(1) main\n0x10 3 10 1\n"
                  "cfi=(2) b.h\ncfn=(2) work\ncalls=2 0x20 7\n* * 20 1\n"
                  "fi=(2)\n+4 7 1\nfe=(1)\n+4 -3 1\njump=3 0x10 3\n* *\n\n"
                  "fl=(2)\nfn=(2)\n0x20 7 20\n\ntotals: 32 2\n"
                  "part: 2\nevents: Ir\npositions: line\nfl=(1)\nfn=(1)\n3 5\n");
    check_rows(recording, "cpu.instructions", "main:3 15\nmain:4 1\nmain:7 1\nmain;work:7 20\n");
    CHECK(recording->pid == 7 && recording->quality.damaged_chunks == 0);
    CHECK(strcmp(recording_text(recording, recording->program), "./x") == 0);
    recording_destroy(recording);
}

/* left and right both call shared; shared alone calls deep; loops do no harm. */
TEST(a_function_stands_under_what_is_on_every_way_to_it)
{
    struct recording *recording =
        read_text("events: Ir\n"
                  "fn=main\n1 1\ncfn=left\ncalls=1 1\n1 9\ncfn=right\ncalls=1 1\n1 9\n"
                  "fn=left\n1 2\ncfn=shared\ncalls=1 1\n1 9\n"
                  "fn=right\n1 3\ncfn=shared\ncalls=1 1\n1 9\n"
                  "fn=shared\n1 4\ncfn=deep\ncalls=1 1\n1 5\ncfn=shared\ncalls=1 1\n1 5\n"
                  "fn=deep\n1 5\ncfn=shared\ncalls=1 1\n1 5\n"
                  "fn=lonely\n1 6\ncfn=loop\ncalls=1 1\n1 5\n"
                  "fn=loop\n1 7\ncfn=lonely\ncalls=1 1\n1 5\n");
    check_rows(recording, "cpu.instructions",
               "[called by several ways];lonely:1 6\n"
               "[called by several ways];lonely;loop:1 7\n"
               "main:1 1\n"
               "main;[called by several ways];shared:1 4\n"
               "main;[called by several ways];shared;deep:1 5\n"
               "main;left:1 2\n"
               "main;right:1 3\n");
    recording_destroy(recording);
}

TEST(what_we_write_reads_back)
{
    struct sample sample = sample_create();
    struct export_job job = {.recording = sample.recording, .range = TIME_ALL};
    struct fault fault = {.text = ""};
    size_t size;
    char *text = export_to_memory("callgrind", &job, &size, &fault);
    CHECK(text);
    struct recording *recording = read_text(text);
    CHECK(recording->quality.damaged_chunks == 0);
    CHECK(recording->heap.bytes == 11730436 && recording->heap.calls == 3014);
    CHECK(recording->heap.bytes - recording->heap.freed_bytes == 2625540);
    CHECK(recording->heap.peak_bytes == 11538436);
    struct weights weights;
    CHECK(weigh_stacks(recording, metric_find("heap.peak"), TIME_ALL, &weights, &fault) == 0);
    CHECK(weights.total_value == 11538436 && weights.rows.count == 4);
    weights_fini(&weights);
    recording_destroy(recording);
    free(text);
    sample_destroy(&sample);
}

TEST(xtree_and_unknown_events)
{
    struct recording *recording = read_text(
        "# callgrind format\nevents: curB  curBk  totB  totBk  totFdB  totFdBk\n"
        "fl=(1) a.c\nfn=(1) main\n28\ncfi=(1)\ncfn=(3) leak_here\ncalls=0 11\n28 100 1 500 5 0 0\n"
        "fl=(1)\nfn=(3)\n11 100 1 500 5 0 0\n\nfl=(1)\nfn=(1)\n31 0 0 0 0 400 4\n"
        "totals: 100 1 500 5 400 4\n");
    check_rows(recording, "heap.live", "main;leak_here:11 100\n");
    check_rows(recording, "heap.allocated", "main;leak_here:11 500\n");
    recording_destroy(recording);
    recording = read_text("events: Tea Cups\nfn=f\n1 30 4\n");
    check_rows(recording, "cost", "f:1 30\n");
    recording_destroy(recording);
}

TEST(other_files_are_not_taken_for_it)
{
    CHECK(!callgrind_recognise(slice_of("desc: --x\ncmd: x\ntime_unit: ms\n")));
    CHECK(!callgrind_recognise(slice_of("v 10400 3\nX x\n")));
    CHECK(!callgrind_recognise(slice_of("")));
    struct fault fault = {.text = ""};
    CHECK(!callgrind_read_bytes("fn=f\n1 1\n", 9, &fault) && strstr(fault.text, "events"));
    static const char large[] = "events: ns\nfn=f\n1 9223372036854775807\n1 9223372036854775807\n";
    static const char scaled[] = "events: Time_(10ns)\nfn=f\n1 1844674407370955162\n";
    CHECK(!callgrind_read_bytes(large, sizeof(large) - 1, &fault) && strstr(fault.text, "2^62"));
    static const char largest[] = "events: ns\nfn=f\n1 18446744073709551615\n";
    CHECK(!callgrind_read_bytes(largest, sizeof(largest) - 1, &fault));
    CHECK(!callgrind_read_bytes(scaled, sizeof(scaled) - 1, &fault) && strstr(fault.text, "2^62"));
}

TEST(a_last_line_without_its_break_is_read)
{
    struct recording *recording =
        read_text("version: 1\nevents: Ir\nfl=a.c\nfn=small\n3 120\nfn=large\n5 700");
    check_rows(recording, "cpu.instructions", "large:5 700\nsmall:3 120\n");
    CHECK(recording->quality.complete);
    recording_destroy(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_costs_are_exact),
        cmocka_unit_test(a_function_stands_under_what_is_on_every_way_to_it),
        cmocka_unit_test(what_we_write_reads_back),
        cmocka_unit_test(xtree_and_unknown_events),
        cmocka_unit_test(other_files_are_not_taken_for_it),
        cmocka_unit_test(a_last_line_without_its_break_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
