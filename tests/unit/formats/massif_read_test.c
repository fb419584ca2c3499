/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_tree.h"
#include "check.h"
#include "export_to.h"
#include "formats/shared/readers.h"
#include "sample_recording.h"

#define MS UINT64_C(1000000)

static const char file[] =
    "desc: --threshold=1\ncmd: ./node --x 3\ntime_unit: ms\n"
    "#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=0\n"
    "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=empty\n"
    "#-----------\nsnapshot=1\n#-----------\ntime=10\nmem_heap_B=1000\n"
    "mem_heap_extra_B=16\nmem_stacks_B=64\nheap_tree=empty\n"
    "#-----------\nsnapshot=2\n#-----------\ntime=20\nmem_heap_B=3000\n"
    "mem_heap_extra_B=24\nmem_stacks_B=0\nheap_tree=peak\n"
    "n3: 3000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
    " n2: 2000 0x109169: take(int) (a (b).c:12)\n"
    "  n0: 1500 0x1091C1: main (a.c:28)\n"
    "  n0: 500 in 2 places, all below massif's threshold (1.00%)\n"
    " n0: 900 0x4900503: ??? (in /lib/libx.so)\n"
    " n0: 100 in 4 places, all below massif's threshold (1.00%)\n"
    "#-----------\nsnapshot=3\n#-----------\ntime=30\nmem_heap_B=700\n"
    "mem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=empty\n";

static struct recording *read_text(const char *text)
{
    struct fault fault = {.text = ""};
    CHECK(massif_recognise((struct slice){text, strlen(text)}));
    struct recording *recording = massif_read_bytes(text, strlen(text), &fault);
    if (!recording)
        fail_msg("%s", fault.text);
    return recording;
}

/* "outer;inner VALUE" of every row, in the order of stacks. */
static void check_rows(struct recording *recording, const char *metric, uint64_t to_ns,
                       const char *want)
{
    struct weights weights;
    struct fault fault = {.text = ""};
    char text[2048] = "";
    if (weigh_stacks(recording, metric_find(metric), (struct time_range){0, to_ns}, &weights,
                     &fault) < 0)
        fail_msg("%s", fault.text);
    for (size_t i = 0; i < weights.rows.count; i++) {
        struct shown_frame frames[16];
        size_t const size = stack_show(recording, weights.rows.items[i].key, frames, 16);
        for (size_t k = size; k-- > 0;) {
            strcat(text, recording_text(recording, frames[k].function));
            strcat(text, k ? ";" : "");
        }
        sprintf(text + strlen(text), " %ld\n", (long)weights.rows.items[i].value);
    }
    weights_fini(&weights);
    assert_string_equal(text, want);
}

TEST(a_tree_gives_stacks_and_other_snapshots_sums)
{
    struct recording *recording = read_text(file);
    check_rows(recording, "heap.live", 10 * MS, "[not told by call site] 1000\n");
    check_rows(recording, "heap.live", 20 * MS,
               "main;take(int) 1500\n"
               "[places below massif's threshold] 100\n"
               "[places below massif's threshold];take(int) 500\n"
               "libx.so+0x4900503 900\n");
    check_rows(recording, "heap.live", 30 * MS, "[not told by call site] 700\n");
    check_rows(recording, "heap.slack", 20 * MS, "[not told by call site] 24\n");
    check_rows(recording, "stacks.resident", 10 * MS, "[stacks of threads] 64\n");
    check_rows(recording, "stacks.resident", 20 * MS, "");
    check_rows(recording, "heap.peak", UINT64_MAX,
               "main;take(int) 1500\n"
               "[places below massif's threshold] 100\n"
               "[places below massif's threshold];take(int) 500\n"
               "libx.so+0x4900503 900\n");
    CHECK(recording->heap.peak_bytes == 3000 && recording->heap.peak_time_ns == 20 * MS);
    CHECK(recording->duration_ns == 30 * MS && recording->buckets.count == 3);
    CHECK(recording->quality.complete && recording->quality.damaged_chunks == 0);
    CHECK(strcmp(recording_text(recording, recording->program), "./node") == 0);
    recording_destroy(recording);
}

TEST(places_are_read)
{
    struct recording *recording = read_text(file);
    const struct location *location = &recording->locations.items[0];
    CHECK(strcmp(recording_text(recording, location->function), "take(int)") == 0);
    CHECK(strcmp(recording_text(recording, location->file), "a (b).c") == 0 &&
          location->line == 12);
    vec_each (frame, &recording->frames)
        if (frame->address == 0x1091c1) {
            location = &recording->locations.items[frame->first_location];
            CHECK(location->line == 28 &&
                  strcmp(recording_text(recording, location->file), "a.c") == 0);
        }
    recording_destroy(recording);
}

TEST(xtree_tells_events_of_one_instant)
{
    struct recording *recording =
        read_text("desc: xtree.produce_report\ncmd: ./x\ntime_unit: ms\n"
                  "#-----------\nsnapshot=0\n#-----------\ntime=330\nmem_heap_B=1000\n"
                  "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\n"
                  "n1: 1000 curB : currently allocated Bytes\n n0: 1000 0x1: leak (a.c:1)\n n0: 0 "
                  "0x2: other (a.c:2)\n"
                  "#-----------\nsnapshot=1\n#-----------\ntime=330\nmem_heap_B=9000\n"
                  "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\n"
                  "n2: 9000 totB : total allocated Bytes\n n0: 6000 0x1: leak (a.c:1)\n n0: 3000 "
                  "0x2: other (a.c:2)\n"
                  "#-----------\nsnapshot=2\n#-----------\ntime=330\nmem_heap_B=8000\n"
                  "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\n"
                  "n1: 8000 totFdB : total Freed Bytes\n n0: 8000 0x3: main (a.c:3)\n");
    check_rows(recording, "heap.live", UINT64_MAX, "leak 1000\n");
    check_rows(recording, "heap.allocated", UINT64_MAX, "leak 6000\nother 3000\n");
    check_rows(recording, "heap.freed", UINT64_MAX, "leak 5000\nother 3000\n");
    recording_destroy(recording);
}

TEST(what_we_write_reads_back)
{
    struct sample sample = sample_create();
    struct export_job job = {
        .recording = sample.recording, .range = TIME_ALL, .threshold_share = 1e-9};
    struct fault fault = {.text = ""};
    size_t size;
    char *text = export_to_memory("massif", &job, &size, &fault);
    CHECK(text);
    struct recording *recording = read_text(text);
    check_rows(recording, "heap.peak", UINT64_MAX,
               "_start;main;handle;store_block;cache_insert 10485760\n"
               "_start;main;walk;walk;walk 1048576\n"
               "_start;main;libplugin.so+0x1234 4000\n"
               "_start;main;tzset_internal 100\n");
    CHECK(recording->quality.damaged_chunks == 0 && recording->heap.peak_bytes == 11538436);
    recording_destroy(recording);
    free(text);
    sample_destroy(&sample);
}

TEST(other_files_are_not_taken_for_it)
{
    CHECK(!massif_recognise(slice_of("desc: I1 cache: 32768 B\ndesc: D1\ncmd: x\nevents: Ir\n")));
    CHECK(!massif_recognise(slice_of("# callgrind format\n")));
    CHECK(!massif_recognise(slice_of("")));
    struct fault fault = {.text = ""};
    CHECK(!massif_read_bytes("time_unit: ms\n", 14, &fault) && strstr(fault.text, "snapshot"));
}

static bool has_note(const struct recording *recording, const char *part)
{
    vec_each (note, &recording->notes)
        if (strstr(recording_text(recording, *note), part))
            return true;
    return false;
}

TEST(a_last_line_without_its_break_is_read)
{
    static const char text[] =
        "desc: x\ncmd: x\ntime_unit: ms\n#-----------\nsnapshot=0\n#-----------\ntime=10\n"
        "mem_heap_B=820\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\n"
        "n2: 820 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
        " n0: 120 0x109169: small (a.c:12)\n"
        " n0: 700 0x1091C1: large (a.c:28)";
    struct recording *recording = read_text(text);
    check_rows(recording, "heap.peak", UINT64_MAX, "small 120\nlarge 700\n");
    CHECK(recording->quality.complete && has_note(recording, "no line break"));
    recording_destroy(recording);
}

TEST(a_file_that_is_cut_at_a_line_is_not_whole)
{
    static const char *const ends[] = {"  n0: 500", "#-----------\nsnapshot=2", "mem_stacks_B=64"};
    for (int i = 0; i < 3; i++) {
        char text[4096];
        const char *end = strstr(file, ends[i]);
        assert_non_null(end);
        size_t const size = (size_t)(end - file);
        snprintf(text, sizeof(text), "%.*s", (int)size, file);
        struct recording *recording = read_text(text);
        CHECK(recording->quality.complete == (i == 1) &&
              has_note(recording, "cut off") == (i != 1));
        recording_destroy(recording);
    }
}

TEST(the_peak_is_the_largest_snapshot)
{
    static const char more[] = "#-----------\nsnapshot=4\n#-----------\ntime=40\nmem_heap_B=%s\n"
                               "mem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=empty\n";
    static const char *const largest[] = {"3020", "9000"};
    for (int i = 0; i < 2; i++) {
        char text[4096], last[256];
        snprintf(last, sizeof(last), more, largest[i]);
        snprintf(text, sizeof(text), "%s%s", file, last);
        struct recording *recording = read_text(text);
        assert_int_equal(recording->heap.peak_bytes, atoi(largest[i]));
        assert_int_equal(recording->heap.peak_time_ns, 40 * MS);
        CHECK(has_note(recording, "kept no call sites of its largest") == (i == 0));
        check_rows(recording, "heap.peak", UINT64_MAX,
                   i == 0 ? "main;take(int) 1500\n[places below massif's threshold] 100\n"
                            "[places below massif's threshold];take(int) 500\n"
                            "libx.so+0x4900503 900\n[not told by call site] 20\n"
                          : "[not told by call site] 9000\n");
        recording_destroy(recording);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_gives_stacks_and_other_snapshots_sums),
        cmocka_unit_test(places_are_read),
        cmocka_unit_test(xtree_tells_events_of_one_instant),
        cmocka_unit_test(what_we_write_reads_back),
        cmocka_unit_test(other_files_are_not_taken_for_it),
        cmocka_unit_test(a_last_line_without_its_break_is_read),
        cmocka_unit_test(a_file_that_is_cut_at_a_line_is_not_whole),
        cmocka_unit_test(the_peak_is_the_largest_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
