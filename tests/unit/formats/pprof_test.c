/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "export_to.h"
#include "formats/shared/readers.h"
#include "pprof_bytes.h"
#include "pprof_reader.h"
#include "random_run.h"
#include "run_program.h"
#include "sample_recording.h"

#define MIB    (1 << 20)
#define SECOND UINT64_C(1000000000)

static struct pprof_reading *export_and_read(struct export_job *job)
{
    struct fault fault = {.text = ""};
    size_t size;
    char *data = export_to_memory("pprof", job, &size, &fault);
    if (!data)
        fail_msg("%s", fault.text);
    struct pprof_reading *reading = pprof_read(data, size);
    free(data);
    return reading;
}

static void check_types(const struct pprof_reading *reading, const char *want)
{
    char text[512] = "";
    for (size_t i = 0; i < reading->type_count; i++) {
        strcat(strcat(text, reading->strings[reading->types[i].type]), "/");
        strcat(strcat(text, reading->strings[reading->types[i].unit]), " ");
    }
    assert_string_equal(text, want);
}

static void check_values(const struct pprof_reading *reading, const char *path,
                         const int64_t want[6])
{
    const struct pprof_sample *sample = pprof_find(reading, path);
    assert_non_null(sample);
    for (int i = 0; i < 6; i++)
        assert_int_equal(sample->values[i], want[i]);
}

/* As they lie in the files: nothing tells where those were. */
static void addresses_can_be_hidden(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    struct frame const made = {.module = MODULE_NONE, .address = 0x7f1234567890};
    struct cell cells[] = {{0, COL_HEAP_BYTES, 5}, {0, COL_HEAP_CALLS, 1}};
    stack_id stack;
    assert_true(vec_push(&sample.recording->frames, made));
    assert_int_equal(stack_table_push(sample.recording->stacks, STACK_EMPTY,
                                      (uint32_t)sample.recording->frames.count - 1, &stack),
                     0);
    cells[0].key = cells[1].key = stack;
    uint64_t const end = sample.recording->duration_ns;
    struct cell *copy = memcpy(malloc(sizeof(cells)), cells, sizeof(cells));
    assert_true(vec_push(
        &sample.recording->buckets,
        (struct bucket){.begin_ns = end, .end_ns = end + SECOND, .cells = copy, .cell_count = 2}));
    for (int hides = 0; hides < 2; hides++) {
        struct export_job job = {.recording = sample.recording,
                                 .range = TIME_ALL,
                                 .hides_addresses = hides,
                                 .leaves_out_peak = hides};
        struct pprof_reading *reading = export_and_read(&job);
        bool shown = false;
        for (size_t i = 0; i < reading->place_count; i++)
            shown = shown || reading->places[i].address >= 0x400000;
        for (size_t i = 0; i < reading->mapping_count; i++)
            shown = shown || reading->mappings[i].start >= 0x400000;
        for (size_t i = 0; i < reading->string_count; i++)
            shown = shown || strstr(reading->strings[i], "7f1234567890");
        assert_int_equal(shown, !hides);
        assert_int_equal(reading->type_count, hides ? 4 : 6);
        pprof_reading_free(reading);
    }
    sample_destroy(&sample);
}

static void the_sample_has_its_six_columns(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    struct export_job job = {.recording = sample.recording, .range = TIME_ALL};
    struct pprof_reading *reading = export_and_read(&job);
    check_types(reading, "alloc_objects/count alloc_space/bytes peak_objects/count "
                         "peak_space/bytes inuse_objects/count inuse_space/bytes ");
    assert_int_equal(reading->sample_count, SITE_COUNT);
    check_values(reading, "_start;main;handle;store_block;cache_insert",
                 (int64_t[]){10, 10 * MIB, 10, 10 * MIB, 2, 2 * MIB});
    check_values(reading, "_start;main;handle;parse", (int64_t[]){3000, 192000, 0, 0, 0, 0});
    check_values(reading, "_start;main;walk;walk;walk", (int64_t[]){2, MIB, 2, MIB, 1, MIB / 2});
    check_values(reading, "_start;main;libplugin.so+0x1234",
                 (int64_t[]){1, 4000, 1, 4000, 1, 4000});
    assert_int_equal(reading->default_type, 0);
    assert_int_equal(job.notes.count, 0);
    pprof_reading_free(reading);
    sample_destroy(&sample);
}

static void header_and_mappings_are_filled(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    struct export_job job = {.recording = sample.recording, .range = TIME_ALL};
    struct pprof_reading *reading = export_and_read(&job);
    assert_int_equal(reading->time_nanos, 1700000000 * SECOND);
    assert_int_equal(reading->duration_nanos, 30 * SECOND);
    assert_int_equal(reading->period, 1);
    assert_string_equal(reading->strings[reading->period_type.type], "space");
    assert_string_equal(reading->strings[reading->period_type.unit], "bytes");
    assert_int_equal(reading->comment_count, 2);
    assert_string_equal(reading->strings[reading->comments[1]], "./ledger-node --port 9000");
    assert_int_equal(reading->mapping_count, 4);
    const struct pprof_mapping *own = &reading->mappings[0];
    assert_string_equal(reading->strings[own->file], "/opt/ledger/ledger-node");
    assert_string_equal(reading->strings[own->build_id], "0123456789abcdef");
    assert_int_equal(own->start, 0x1400000);
    assert_int_equal(own->limit, 0x1500000);
    for (int i = 0; i < 4; i++)
        assert_int_equal(own->flags[i], 1);
    const struct pprof_mapping *plugin = &reading->mappings[3]; /* no names of its own */
    assert_int_equal(plugin->flags[0], 1);
    assert_int_equal(plugin->flags[1] | plugin->flags[2] | plugin->flags[3], 0);
    pprof_reading_free(reading);
    sample_destroy(&sample);
}

/* One place, two lines: the inlined function first, with the line where it really happened. */
static void inlined_functions_share_a_place(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    struct export_job job = {.recording = sample.recording, .range = TIME_ALL};
    struct pprof_reading *reading = export_and_read(&job);
    const struct pprof_sample *cache =
        pprof_find(reading, "_start;main;handle;store_block;cache_insert");
    assert_int_equal(cache->place_count, 4); /* malloc is not the one who asked */
    const struct pprof_place *leaf = &reading->places[cache->places[0] - 1];
    assert_int_equal(leaf->line_count, 2);
    assert_int_equal(leaf->lines[0].line, 88);
    assert_int_equal(leaf->lines[1].line, 7);
    assert_int_equal(leaf->address, 0x1402000);
    const struct pprof_function *function = &reading->functions[leaf->lines[0].function - 1];
    assert_string_equal(reading->strings[function->name], "cache_insert");
    assert_string_equal(reading->strings[function->file], "cache.c");
    pprof_reading_free(reading);
    sample_destroy(&sample);
}

static void time_and_metric_choose_columns(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    struct export_job early = {.recording = sample.recording, .range = {0, 10 * SECOND}};
    struct pprof_reading *reading = export_and_read(&early);
    check_types(reading, "alloc_objects/count alloc_space/bytes inuse_objects/count "
                         "inuse_space/bytes ");
    assert_int_equal(early.notes.count, 1); /* says why there is no peak */
    assert_int_equal(reading->duration_nanos, 10 * SECOND);
    pprof_reading_free(reading);

    struct export_job peak = {
        .recording = sample.recording, .range = TIME_ALL, .metric = metric_find("heap.peak")};
    reading = export_and_read(&peak);
    assert_string_equal(reading->strings[reading->default_type], "peak_space");
    pprof_reading_free(reading);

    struct export_job maps = {
        .recording = sample.recording, .range = TIME_ALL, .metric = metric_find("maps.live")};
    reading = export_and_read(&maps);
    check_types(reading, "maps.live.count/count maps.live/bytes ");
    assert_int_equal(reading->sample_count, 1);
    assert_int_equal(reading->samples[0].values[1], 65536);
    pprof_reading_free(reading);
    sample_destroy(&sample);
}

/* What shrank is negative: ten bytes on the wire, not a huge number. */
static void changes_may_be_negative(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    struct export_job job = {.recording = sample.recording, .range = {20 * SECOND, UINT64_MAX}};
    struct pprof_reading *reading = export_and_read(&job);
    const struct pprof_sample *cache =
        pprof_find(reading, "_start;main;handle;store_block;cache_insert");
    assert_non_null(cache);
    assert_int_equal(cache->values[reading->type_count - 1], -8 * MIB);
    assert_int_equal(reading->time_nanos, 1700000020 * SECOND);
    pprof_reading_free(reading);
    sample_destroy(&sample);
}

/* "    1234B 12% ..." lines of pprof -top: the flat value of a function. */
static int64_t top_value(const char *text, const char *function)
{
    char tail[64];
    snprintf(tail, sizeof(tail), "  %s\n", function);
    const char *at = strstr(text, tail);
    while (at && at > text && at[-1] != '\n')
        at--;
    return at ? strtoll(at, NULL, 10) : 0;
}

static int run_go(char *file, const char *column, char *out, size_t size)
{
    char index[64];
    snprintf(index, sizeof(index), "-sample_index=%s", column);
    char *unit = strstr(column, "objects") ? "-unit=count" : "-unit=B";
    char *const argv[] = {"go", "tool", "pprof", "-top", "-nodecount=0", "-nodefraction=0",
                          unit, index,  file,    NULL};
    return run_program(argv, out, size);
}

static void go_tool_pprof_shows_our_totals(void **state)
{
    (void)state;
    static char out[1 << 16];
    struct random_run run = random_run_create(5, 2000, 3);
    struct export_job job = {.recording = run.recording, .range = TIME_ALL};
    char path[] = "/tmp/memoir-test-XXXXXX.pb.gz";
    export_to_file("pprof", &job, path, ".pb.gz");
    static const char *const columns[] = {"alloc_objects", "peak_space", "inuse_space"};
    int status = 0;
    for (int c = 0; c < 3 && status == 0; c++) {
        status = run_go(path, columns[c], out, sizeof(out));
        for (unsigned i = 0; i < RUN_SITES && status == 0; i++) {
            const int64_t want[] = {run.sites[i].calls, run.sites[i].peak, run.sites[i].leaked};
            char name[16];
            snprintf(name, sizeof(name), "site%u", i);
            assert_int_equal(top_value(out, name), want[c]);
        }
    }
    unlink(path);
    recording_destroy(run.recording);
    if (status == -1) {
        print_message("skipped: go is not installed\n");
        skip();
    }
    if (status != 0)
        print_message("%s\n", out);
    assert_int_equal(status, 0);
}

/* A sample with a label, written again; without the label when nobody keeps it. */
TEST(labels_are_written_again_where_they_were_kept)
{
    for (int wanted = 0; wanted < 2; wanted++) {
        struct fault fault = {.text = ""};
        pprof_keep_labels(wanted);
        struct recording *recording =
            pprof_recording_read_bytes(PPROF_MINIMAL, sizeof(PPROF_MINIMAL) - 1, &fault);
        assert_non_null(recording);
        struct export_job job = {.recording = recording, .range = TIME_ALL};
        size_t size;
        char *data = export_to_memory("pprof", &job, &size, &fault);
        assert_non_null(data);
        struct recording *again = pprof_recording_read_bytes(data, size, &fault);
        assert_non_null(again);
        assert_int_equal(again->labelled.sets.count, wanted);
        if (wanted) {
            const struct label *label = &again->labelled.labels.items[0];
            assert_string_equal(recording_text(again, label->key), "bytes");
            CHECK(label->number == 64 && label->text == STRING_EMPTY);
        }
        CHECK(again->heap.bytes == 4096);
        recording_destroy(again);
        recording_destroy(recording);
        free(data);
    }
    pprof_keep_labels(false);
}

/* Of the minimal profile, with peak_objects and peak_space: 5 blocks, 4096 bytes. */
#define PEAK_PROFILE                                                                               \
    "\x0a\x04\x08\x07\x10\x08"                                                                     \
    "\x0a\x04\x08\x09\x10\x02"                                                                     \
    "\x12\x09\x0a\x02\x01\x02\x12\x03\x05\x80\x20" PPROF_MINIMAL_AFTER_SAMPLE                      \
    "\x32\x0cpeak_objects"                                                                         \
    "\x32\x05"                                                                                     \
    "count"                                                                                        \
    "\x32\x0apeak_space"

TEST(a_peak_alone_is_written_again)
{
    struct fault fault = {.text = ""};
    size_t size;
    struct recording *recording =
        pprof_recording_read_bytes(PEAK_PROFILE, sizeof(PEAK_PROFILE) - 1, &fault);
    assert_non_null(recording);
    struct export_job job = {.recording = recording, .range = TIME_ALL};
    char *data = export_to_memory("pprof", &job, &size, &fault);
    if (!data)
        fail_msg("%s", fault.text);
    struct recording *again = pprof_recording_read_bytes(data, size, &fault);
    assert_non_null(again);
    CHECK(again->heap.bytes == 0 && again->heap.peak_bytes == 4096);
    CHECK(again->heap.peak_count == 5 && again->own_metric_count == 0);
    assert_int_equal(recording_is_of_counts(again), recording_is_of_counts(recording));
    recording_destroy(again);
    recording_destroy(recording);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_written_again_where_they_were_kept),
        cmocka_unit_test(a_peak_alone_is_written_again),
        cmocka_unit_test(addresses_can_be_hidden),
        cmocka_unit_test(the_sample_has_its_six_columns),
        cmocka_unit_test(header_and_mappings_are_filled),
        cmocka_unit_test(inlined_functions_share_a_place),
        cmocka_unit_test(time_and_metric_choose_columns),
        cmocka_unit_test(changes_may_be_negative),
        cmocka_unit_test(go_tool_pprof_shows_our_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
