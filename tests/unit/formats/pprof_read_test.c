/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of pprof as recordings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/shown_frame.h"
#include "analyze/sums/weigh.h"
#include "analyze/sums/metric_data.h"
#include "check.h"
#include "formats/pprof/pprof_series.h"
#include "formats/shared/readers.h"
#include "pprof_bytes.h"

#define BYTES(text) text, sizeof(text) - 1
#define SECOND      UINT64_C(1000000000)

static struct recording *read_bytes(const char *data, size_t size)
{
    struct fault fault = {.text = ""};
    CHECK(pprof_recognise((struct slice){data, size}));
    struct recording *recording = pprof_recording_read_bytes(data, size, &fault);
    if (!recording)
        fail_msg("%s", fault.text);
    return recording;
}

/* "outer;inner VALUE/COUNT" of every row, in the order of stacks, at a time. */
static void check_rows(struct recording *recording, const char *metric, struct time_range range,
                       const char *want)
{
    struct weights weights;
    struct fault fault = {.text = ""};
    char text[4096] = "";
    const struct metric *found = recording_metric(recording, metric);
    CHECK(found != NULL);
    if (weigh_stacks(recording, found, range, &weights, &fault) < 0)
        fail_msg("%s", fault.text);
    for (size_t i = 0; i < weights.rows.count; i++) {
        struct shown_frame frames[16];
        size_t const size = stack_show(recording, weights.rows.items[i].key, frames, 16);
        for (size_t k = size; k-- > 0;) {
            strcat(text, recording_text(recording, frames[k].function));
            strcat(text, k ? ";" : "");
        }
        sprintf(text + strlen(text), " %ld/%ld\n", (long)weights.rows.items[i].value,
                (long)weights.rows.items[i].count);
    }
    weights_fini(&weights);
    assert_string_equal(text, want);
}

static bool has_note(const struct recording *recording, const char *words)
{
    vec_each (note, &recording->notes)
        if (strstr(recording_text(recording, *note), words))
            return true;
    return false;
}

TEST(the_minimal_profile_becomes_a_recording)
{
    struct recording *recording = read_bytes(BYTES(PPROF_MINIMAL));
    check_rows(recording, "heap.live", TIME_ALL, "main.main;main.work 4096/0\n");
    CHECK(recording->quality.sample_rate == 524288 && recording_traces_heap(recording));
    CHECK(recording->start_unix_ns == UINT64_C(1700000000000000000));
    assert_string_equal(recording_text(recording, recording->shown_metric), "heap.live");
    CHECK(recording->heap.bytes == 4096 && has_note(recording, "what is live"));
    recording_destroy(recording);
}

/* Two samples of one stack whose sum would be -2. */
TEST(values_that_add_up_to_nonsense_are_refused)
{
    static const char text[] = "heap profile: 2: 9 [2: 9] @ heapprofile\n"
                               "1: 9223372036854775807 [1: 9223372036854775807] @ 0x1 0x2\n"
                               "1: 9223372036854775807 [1: 9223372036854775807] @ 0x1 0x2\n";
    static const char one[] = "heap profile: 1: 9 [1: 9] @ heapprofile\n"
                              "1: 4611686018427387904 [1: 4611686018427387904] @ 0x1 0x2\n";
    struct fault fault = {.text = ""};
    CHECK(!pprof_recording_read_bytes(text, sizeof(text) - 1, &fault));
    CHECK(strstr(fault.text, "add up to more than 2^62"));
    static const char negative[] = "heap profile: 2: 18 [2: 18] @ heapprofile\n"
                                   "1: 9 [1: 9] @ 0x1 0x2\n"
                                   "1: 18446744073709551607 [1: 9] @ 0x1 0x2\n";
    struct recording *recording = read_bytes(BYTES(negative));
    CHECK(recording->heap.bytes == 9 && has_note(recording, "line"));
    recording_destroy(recording);
    recording = read_bytes(BYTES(one));
    CHECK(recording->heap.bytes == UINT64_C(1) << 62);
    recording_destroy(recording);
}

TEST(a_profile_of_what_was_allocated_does_not_tell_what_is_live)
{
    struct fault fault = {.text = ""};
    char bytes[] = PPROF_MINIMAL;
    char *type = memmem(bytes, sizeof(bytes), "inuse_space", 11);
    CHECK(type != NULL);
    memcpy(type, "alloc_space", 11);
    struct recording *recording = read_bytes(bytes, sizeof(bytes) - 1);
    CHECK(recording_traces_heap(recording) && recording_knows_allocated(recording));
    CHECK(!recording_knows_live(recording) && has_note(recording, "not what of it is live"));
    CHECK(metric_data_check(recording, metric_find("heap.allocated"), &fault) == 0);
    for (const char *const *name =
             (const char *const[]){"heap.live", "heap.leaked", "heap.freed", NULL};
         *name; name++)
        CHECK(metric_data_check(recording, metric_find(*name), &fault) == -ENODATA);
    CHECK(recording->buckets.items[0].gauges.heap_live_end == -1);
    recording_destroy(recording);
    recording = read_bytes(BYTES(PPROF_MINIMAL));
    CHECK(recording_knows_live(recording) && !recording_knows_allocated(recording));
    recording_destroy(recording);
}

/* Strings: 1 type, 2 unit, 3 main.work, 4 main.go, 5 main.main. */
#define NAMES_AFTER(type, type_size, unit, unit_size)                                              \
    "\x32\x00\x32" type_size type "\x32" unit_size unit                                            \
    "\x32\x09main.work\x32\x07main.go\x32\x09main.main"

TEST(types_that_nobody_knows_are_metrics_of_their_own)
{
    struct recording *recording = read_bytes(BYTES(
        PPROF_MINIMAL_TYPES "\x12\x07\x0a\x02\x01\x02\x12\x01\x07"
                            "\x12\x03\x12\x01\x05" PPROF_MINIMAL_LOCATIONS PPROF_MINIMAL_FUNCTIONS
                                NAMES_AFTER("wakeups", "\x07", "times", "\x05")));
    const struct metric *metric = recording_metric(recording, "wakeups");
    CHECK(metric && strcmp(metric->unit, "times") == 0);
    check_rows(recording, "wakeups", TIME_ALL, " 5/0\nmain.main;main.work 7/0\n");
    assert_string_equal(recording_text(recording, recording->shown_metric), "wakeups");
    CHECK(!recording_traces_heap(recording) && has_note(recording, "--metric wakeups"));
    recording_destroy(recording);
}

TEST(types_of_one_name_are_not_added_up)
{
    struct recording *recording = read_bytes(BYTES(
        PPROF_MINIMAL_TYPES PPROF_MINIMAL_TYPES
        "\x12\x08\x0a\x02\x01\x02\x12\x02\x07\x05" PPROF_MINIMAL_LOCATIONS PPROF_MINIMAL_FUNCTIONS
            NAMES_AFTER("wakeups", "\x07", "times", "\x05")));
    check_rows(recording, "wakeups", TIME_ALL, "main.main;main.work 7/0\n");
    check_rows(recording, "wakeups.1", TIME_ALL, "main.main;main.work 5/0\n");
    recording_destroy(recording);
}

TEST(the_last_column_that_has_room_is_shown_where_the_last_has_none)
{
    char bytes[1024] = "", *at = bytes;
    for (int i = 0; i < OWN_METRICS_MAX + 1; i++)
        at += sprintf(at, "\x0a\x02\x08%c", i + 1);
    at += sprintf(at, "\x12%c\x12%c", OWN_METRICS_MAX + 3, OWN_METRICS_MAX + 1);
    for (int i = 0; i < OWN_METRICS_MAX + 1; i++)
        *at++ = (char)(i + 1);
    *at++ = 0x32;
    *at++ = 0;
    for (int i = 0; i < OWN_METRICS_MAX + 1; i++)
        at += sprintf(at, "\x32\x01%c", 'A' + i);
    struct recording *recording = read_bytes(bytes, (size_t)(at - bytes));
    char const last[] = {'A' + OWN_METRICS_MAX - 1, '\0'};
    assert_string_equal(recording_text(recording, recording->shown_metric), last);
    CHECK(has_note(recording, "too many"));
    recording_destroy(recording);
}

/* As Go writes it; the size of blocks is 64, one in 524288 bytes is sampled. */
static const char go_heap[] = "heap profile: 1: 64 [2: 128] @ heap/1048576\n"
                              "1: 64 [2: 128] @ 0x401001 0x401101\n"
                              "#\t0x401000\tmain.inner+0x1f\t/src/main.go:12\n"
                              "#\t0x401000\tmain.work+0x1f\t/src/main.go:14\n"
                              "#\t0x401100\tmain.main+0x1f\t/src/main.go:30\n"
                              "0: 0 [1: 1048576] @ 0x401001 0x401101\n"
                              "#\t0x401000\tmain.inner+0x1f\t/src/main.go:12\n"
                              "nonsense\n"
                              "\n# runtime.MemStats\n# Alloc = 1\n";

TEST(heaps_of_debug_1_are_scaled_and_have_names)
{
    struct recording *recording = read_bytes(BYTES(go_heap));
    check_rows(recording, "heap.live", TIME_ALL,
               "main.main;main.work;main.inner 524320/8192\n"); /* factor 8192.5 */
    check_rows(recording, "heap.allocated", TIME_ALL,
               "main.main;main.work;main.inner 2261336/16386\n"); /* 2 * 8192.5 and 1.15652 */
    CHECK(recording->quality.sample_rate == 524288 && has_note(recording, "1 lines"));
    recording_destroy(recording);
}

TEST(jemalloc_and_gperftools_heaps_are_read)
{
    struct recording *recording = read_bytes(
        BYTES("heap_v2/524288\n  t*: 1: 64 [0: 0]\n  t0: 1: 64 [0: 0] main\n"
              "@ 0x1001 0x2001\n  t*: 1: 64 [0: 0]\n  t0: 1: 64 [0: 0]\n"
              "\nMAPPED_LIBRARIES:\n00001000-00003000 r-xp 00000000 08:01 1 /bin/no-such\n"
              "00003000-00004000 r--p 00002000 08:01 1 /bin/no-such\n"));
    CHECK(recording->heap.bytes == 524320 && recording->heap.calls == 8192);
    CHECK(recording->modules.count == 1 && recording->frames.count == 2);
    CHECK(recording->frames.items[1].address == 0x2000 && !recording->frames.items[0].module);
    recording_destroy(recording);
    recording = read_bytes(BYTES("heap profile:   2:   96 [  3:  160] @ heapprofile\n"
                                 "   2:   96 [  3:  160] @ 0x1001 0x2001\n"));
    CHECK(recording->heap.bytes == 160 && recording->heap.freed_bytes == 64);
    CHECK(recording->heap.calls == 3 && recording->heap.frees == 1);
    CHECK(recording->quality.sample_rate == 0);
    recording_destroy(recording);
}

TEST(tcmalloc_samples_are_scaled_and_growth_is_not)
{
    struct recording *recording =
        read_bytes(BYTES("heap profile:  1:  64 [  1:  64] @ heap_v2/524288\n"
                         "  1:  64 [  1:  64] @ 0x11\n"));
    check_rows(recording, "heap.live", TIME_ALL, "0x10 524320/8192\n");
    recording_destroy(recording);
    recording = read_bytes(BYTES("heap profile: 1: 1048576 [ 1: 1048576] @ growthz/1\n"
                                 " 1: 1048576 [ 1: 1048576] @ 0x11\n"));
    check_rows(recording, "heap.live", TIME_ALL, "0x10 1048576/1\n");
    recording_destroy(recording);
    struct fault fault = {.text = ""};
    static const char unknown[] = "heap profile: 1: 64 [1: 64] @ cheese\n";
    CHECK(!pprof_recording_read_bytes(BYTES(unknown), &fault));
    CHECK(strstr(fault.text, "does not know"));
}

TEST(counts_and_contentions_of_debug_1_are_read)
{
    struct recording *recording =
        read_bytes(BYTES("goroutine profile: total 5\n2 @ 0x1001\n3 @ 0x2001 0x1001\n"
                         "#\t0x2000\truntime.gopark+0x1\t/go/proc.go:3\n"));
    check_rows(recording, "goroutine", TIME_ALL, "0x1000 2/0\n0x1000;runtime.gopark 3/0\n");
    recording_destroy(recording);
    recording = read_bytes(BYTES("--- mutex:\ncycles/second=2000000000\nsampling period=5\n"
                                 "1000 2 @ 0x1001\n"));
    CHECK(recording->timing.waits == 10 && recording->timing.wait_ns == 2500);
    CHECK(recording_is_of_time(recording));
    recording_destroy(recording);
}

TEST(blanks_before_contentions_are_passed_over)
{
    struct recording *recording = read_bytes(BYTES(
        "--- contention:\ncycles/second = 1000000000\n   1000    2 @ 0x1001\n\t20 1 @ 0x2001\n"));
    CHECK(recording->timing.waits == 3 && recording->timing.wait_ns == 1020);
    recording_destroy(recording);
}

TEST(text_that_is_cut_off_is_not_called_complete)
{
    static const struct {
        const char *text;
        bool is_missing, lacks_break;
    } cases[] = {
        {"heap profile: 3: 30 [4: 40] @ heap/1\n1: 10 [2: 20] @ 0x1001\n2: 20 [2: 20] @ 0x2001\n",
         0, 0},
        {"heap profile: 3: 30 [4: 40] @ heap/1\n1: 10 [2: 20] @ 0x1001\n2: 20 [2: 20] @ 0x2001", 0,
         1},
        {"heap profile: 3: 30 [4: 40] @ heap/1\n1: 10 [2: 20] @ 0x1001\n", 1, 0},
        {"heap profile: 3: 30 [4: 40] @ heap/1\n1: 10 [2: 20] @ 0x1001\n2: 20 [2: 2", 1, 1},
        {"heap_v2/1\n  t*: 2: 20 [0: 0]\n@ 0x1001\n  t*: 1: 10 [0: 0]\n", 1, 0},
        {"goroutine profile: total 5\n2 @ 0x1001\n", 1, 0},
        {"goroutine profile: total 5\n2 @ 0x1001\n3 @ 0x2001\n", 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct recording *recording = read_bytes(cases[i].text, strlen(cases[i].text));
        CHECK(recording->quality.complete == !cases[i].is_missing);
        CHECK(has_note(recording, "lines of it are missing") == cases[i].is_missing);
        CHECK(has_note(recording, "no line break") ==
              (cases[i].lacks_break && !cases[i].is_missing));
        recording_destroy(recording);
    }
}

TEST(gperftools_samples_of_time_are_read)
{
    static const uint64_t words[] = {0, 3, 0, 10000, 0, 4, 3, 0x1001, 0x1001, 0x2001, 0, 1, 0};
    struct recording *recording = read_bytes((const char *)words, sizeof(words));
    CHECK(recording->timing.samples == 4 && recording->timing.hz == 100);
    check_rows(recording, "cpu.on", TIME_ALL, "0x2000;0x1001 40000000/4\n"); /* told twice */
    recording_destroy(recording);
    struct fault fault = {.text = ""};
    CHECK(!pprof_recording_read_bytes(words, sizeof(words) - 16, &fault));
    CHECK(strstr(fault.text, "cut short"));
}

TEST(frames_that_a_file_wants_hidden_are)
{
    struct recording *recording =
        read_bytes(BYTES(PPROF_MINIMAL_TYPES PPROF_MINIMAL_SAMPLE PPROF_MINIMAL_AFTER_SAMPLE
                         "\x32\x0bmain\\.w.*|x\x32\x03xyz\x38\x07\x40\x08"));
    check_rows(recording, "heap.live", TIME_ALL, "main.main 4096/0\n");
    recording_destroy(recording);
    recording = read_bytes(BYTES(PPROF_MINIMAL "\x32\x06main.*\x32\x09main.work\x38\x07\x40\x08"));
    check_rows(recording, "heap.live", TIME_ALL, "main.main;main.work 4096/0\n");
    recording_destroy(recording);
    recording = read_bytes(BYTES(PPROF_MINIMAL "\x32\x08z{99999}\x38\x07"));
    CHECK(has_note(recording, "does not understand"));
    recording_destroy(recording);
}

/* --- several profiles of one node --- */

static struct pprof_profile *parse(const char *text)
{
    struct fault fault = {.text = ""};
    struct pprof_profile *profile = pprof_read_bytes(text, strlen(text), &fault);
    if (!profile)
        fail_msg("%s", fault.text);
    return profile;
}

static struct recording *make_series(const char *const *texts, size_t count)
{
    struct recording *recording = recording_create();
    struct pprof_series series;
    uint32_t node;
    CHECK(pprof_series_init(&series, recording) == 0);
    series.is_run = true;
    CHECK(pprof_series_add_node(&series, NULL, &node) == 0);
    for (size_t i = 0; i < count; i++) {
        struct pprof_profile *profile = parse(texts[i]);
        CHECK(pprof_series_add(&series, node, i ? i * SECOND : 1, profile) == 0);
        pprof_destroy(profile);
    }
    CHECK(pprof_series_finish(&series) == 0);
    pprof_series_fini(&series);
    return recording;
}

TEST(a_series_of_heaps_is_a_level_and_increments)
{
    static const char *const texts[] = {
        "heap profile: 10: 100 [50: 500] @ heapprofile\n10: 100 [50: 500] @ 0x11\n",
        "heap profile: 30: 300 [90: 900] @ heapprofile\n20: 200 [70: 700] @ 0x11\n"
        "10: 100 [20: 200] @ 0x22\n",
        "heap profile: 5: 50 [90: 910] @ heapprofile\n5: 50 [71: 710] @ 0x11\n"
        "0: 0 [20: 200] @ 0x22\n",
        "heap profile: 1: 10 [2: 20] @ heapprofile\n1: 10 [2: 20] @ 0x22\n"}; /* started anew */
    struct recording *recording = make_series(texts, 4);
    check_rows(recording, "heap.live", (struct time_range){0, 1}, "0x10 100/10\n");
    check_rows(recording, "heap.live", (struct time_range){0, SECOND},
               "0x10 200/20\n0x21 100/10\n");
    check_rows(recording, "heap.live", (struct time_range){0, 2 * SECOND}, "0x10 50/5\n");
    check_rows(recording, "heap.live", TIME_ALL, "0x21 10/1\n");
    check_rows(recording, "heap.peak", TIME_ALL, "0x10 200/20\n0x21 100/10\n");
    check_rows(recording, "heap.allocated", (struct time_range){1, 2 * SECOND},
               "0x10 210/21\n0x21 200/20\n");
    check_rows(recording, "heap.allocated", (struct time_range){2 * SECOND, 3 * SECOND},
               "0x21 20/2\n");
    CHECK(recording->heap.peak_bytes == 300 && recording->heap.peak_time_ns == SECOND);
    CHECK(recording->buckets.items[3].gauges.heap_live_end == 10);
    CHECK(has_note(recording, "started anew 1 times"));
    recording_destroy(recording);
}

TEST(a_series_of_waits_counts_from_its_first_profile_on)
{
    static const char *const texts[] = {"--- contention:\n1000 2 @ 0x11\n",
                                        "--- contention:\n1500 3 @ 0x11\n",
                                        "--- contention:\n20 1 @ 0x11\n"};
    struct recording *recording = make_series(texts, 3);
    check_rows(recording, "cpu.off", TIME_ALL, "0x10 520/2\n");
    recording_destroy(recording);
}

TEST(text_that_is_no_profile_is_not_taken_for_one)
{
    CHECK(!pprof_recognise(slice_of("hello, world\n")));
    CHECK(!pprof_recognise(slice_of("MEMOIR1")));
    CHECK(!pprof_recognise(slice_of("")));
    CHECK(!pprof_recognise(slice_of("# HELP go_goroutines x\n")));
    CHECK(pprof_recognise(slice_of("heap profile: 1: 2 [3: 4] @ heap/5")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minimal_profile_becomes_a_recording),
        cmocka_unit_test(values_that_add_up_to_nonsense_are_refused),
        cmocka_unit_test(a_profile_of_what_was_allocated_does_not_tell_what_is_live),
        cmocka_unit_test(types_that_nobody_knows_are_metrics_of_their_own),
        cmocka_unit_test(types_of_one_name_are_not_added_up),
        cmocka_unit_test(the_last_column_that_has_room_is_shown_where_the_last_has_none),
        cmocka_unit_test(heaps_of_debug_1_are_scaled_and_have_names),
        cmocka_unit_test(jemalloc_and_gperftools_heaps_are_read),
        cmocka_unit_test(tcmalloc_samples_are_scaled_and_growth_is_not),
        cmocka_unit_test(counts_and_contentions_of_debug_1_are_read),
        cmocka_unit_test(blanks_before_contentions_are_passed_over),
        cmocka_unit_test(text_that_is_cut_off_is_not_called_complete),
        cmocka_unit_test(gperftools_samples_of_time_are_read),
        cmocka_unit_test(frames_that_a_file_wants_hidden_are),
        cmocka_unit_test(a_series_of_heaps_is_a_level_and_increments),
        cmocka_unit_test(a_series_of_waits_counts_from_its_first_profile_on),
        cmocka_unit_test(text_that_is_no_profile_is_not_taken_for_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
