/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "export_to.h"
#include "formats/heaptrack/heaptrack_events.h"
#include "heaptrack_reader.h"
#include "random_run.h"
#include "run_program.h"
#include "sample_recording.h"

static struct heaptrack_reading *export_and_read(struct export_job *job)
{
    size_t size;
    struct fault fault = {.text = ""};
    char *text = export_to_memory("heaptrack", job, &size, &fault);
    if (!text)
        fail_msg("%s", fault.text);
    struct heaptrack_reading *reading = heaptrack_read(text);
    free(text);
    return reading;
}

static void check_cost(struct trace_cost got, int64_t calls, int64_t temporary, int64_t leaked,
                       int64_t peak)
{
    assert_int_equal(got.calls, calls);
    assert_int_equal(got.temporary, temporary);
    assert_int_equal(got.leaked, leaked);
    assert_int_equal(got.peak, peak);
}

static void the_sample_comes_out_with_its_known_answers(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    struct export_job job = {.recording = sample.recording, .range = TIME_ALL};
    struct heaptrack_reading *reading = export_and_read(&job);

    check_cost(reading->total, 3014, 2700, 2625540, 11538436);
    check_cost(heaptrack_cost(reading, "_start;main;handle;store_block;cache_insert"), 10, 0,
               2 << 20, 10 << 20);
    check_cost(heaptrack_cost(reading, "_start;main;handle;parse"), 3000, 2700, 0, 0);
    check_cost(heaptrack_cost(reading, "_start;main;walk;walk;walk"), 2, 0, 512 << 10, 1 << 20);
    check_cost(heaptrack_cost(reading, "_start;main;libplugin.so+0x1234"), 1, 0, 4000, 4000);
    check_cost(heaptrack_cost(reading, "_start;main;tzset_internal"), 1, 0, 100, 100);
    assert_int_equal(reading->peak_ms, 18000);
    assert_int_equal(reading->last_ms, 30000);
    assert_int_equal(reading->rss_pages, 14 << 8);
    assert_int_equal(reading->unmatched, 0);
    assert_int_equal(job.notes.count, 0);
    free(reading);
    sample_destroy(&sample);
}

static void check_against_books(const struct random_run *run,
                                const struct heaptrack_reading *reading)
{
    for (unsigned i = 0; i < RUN_SITES; i++) {
        char path[32];
        snprintf(path, sizeof(path), "main;site%u", i);
        struct trace_cost got = heaptrack_cost(reading, path);
        assert_int_equal(got.calls, run->sites[i].calls);
        assert_int_equal(got.leaked, run->sites[i].leaked);
        assert_int_equal(got.peak, run->sites[i].peak);
    }
    assert_int_equal(reading->total.calls, run->total.calls);
    assert_int_equal(reading->total.leaked, run->total.leaked);
    assert_int_equal(reading->total.peak, run->total.peak);
}

static void random_runs_keep_calls_peak_leaks_and_temporary(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_run run = random_run_create(seed, 5 + seed * 7 % 900, 1 + seed % 5);
        struct export_job job = {.recording = run.recording, .range = TIME_ALL};
        struct heaptrack_reading *reading = export_and_read(&job);
        check_against_books(&run, reading);
        /* only what several threads held at the peak cannot be next to its free */
        int64_t short_of = run.total.temporary - reading->total.temporary;
        CHECK(short_of >= 0 && short_of < 5);
        CHECK(short_of == 0 || job.notes.count > 0);
        free(reading);
        recording_destroy(run.recording);
    }
}

/* The smaller sizes vary, the fewer frees have to be written with a size of their own. */
static void almost_every_free_finds_its_block(void **state)
{
    (void)state;
    uint64_t events = 0, unmatched = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct random_run run = random_run_create(seed, 3000, 2);
        struct export_job job = {.recording = run.recording, .range = TIME_ALL};
        struct heaptrack_reading *reading = export_and_read(&job);
        events += reading->events;
        unmatched += reading->unmatched;
        free(reading);
        recording_destroy(run.recording);
    }
    assert_in_range(unmatched, 0, events / 100);
}

static void a_limit_on_events_keeps_peak_and_leaks(void **state)
{
    (void)state;
    struct random_run run = random_run_create(7, 5000, 1);
    struct export_job job = {.recording = run.recording, .range = TIME_ALL, .max_events = 3000};
    struct heaptrack_reading *reading = export_and_read(&job);
    assert_int_equal(reading->total.leaked, run.total.leaked);
    assert_int_equal(reading->total.peak, run.total.peak);
    for (unsigned i = 0; i < RUN_SITES; i++) {
        char path[32];
        snprintf(path, sizeof(path), "main;site%u", i);
        assert_int_equal(heaptrack_cost(reading, path).peak, run.sites[i].peak);
        assert_int_equal(heaptrack_cost(reading, path).leaked, run.sites[i].leaked);
    }
    assert_in_range(reading->events, 3000, 4500); /* at most one more per run of blocks */
    assert_int_equal(job.notes.count > 0, 1);
    assert_non_null(strstr(job.notes.text[0], "--max-events"));
    CHECK(reading->comments >= 2);
    free(reading);
    recording_destroy(run.recording);
}

static void add_bucket(struct recording *recording, stack_id stack, const int64_t values[4])
{
    struct cell *cells = calloc(4, sizeof(*cells));
    uint64_t begin = recording->buckets.count * UINT64_C(1000000000);
    for (int i = 0; i < 4; i++)
        cells[i] = (struct cell){stack, (uint16_t)(COL_HEAP_CALLS + i), values[i]};
    struct bucket bucket = {.begin_ns = begin,
                            .end_ns = begin + 1000000000,
                            .gauges = {-1, -1, -1, -1},
                            .cells = cells,
                            .cell_count = 4};
    CHECK(vec_push(&recording->buckets, bucket));
}

/* Two blocks of 500 make the peak; then one of 600 is freed and allocated again, which the sums
 * tell as a block that came and went while the heap was full. */
static void made_up_blocks_never_make_a_peak(void **state)
{
    (void)state;
    struct recording *recording = recording_create();
    struct cell *cells = calloc(2, sizeof(*cells));
    stack_id stack;
    CHECK(vec_push(&recording->frames, (struct frame){.module = MODULE_NONE}));
    assert_int_equal(stack_table_push(recording->stacks, STACK_EMPTY, 0, &stack), 0);
    add_bucket(recording, stack, (int64_t[]){2, 1000, 0, 0});
    add_bucket(recording, stack, (int64_t[]){1, 600, 1, 600});
    cells[0] = (struct cell){stack, COL_HEAP_BYTES, 1000};
    cells[1] = (struct cell){stack, COL_HEAP_CALLS, 2};
    struct pin pin = {.kind = PIN_PEAK, .time_ns = 5, .cells = cells, .cell_count = 2};
    CHECK(vec_push(&recording->pins, pin));

    struct export_job job = {.recording = recording, .range = TIME_ALL};
    struct heaptrack_reading *reading = export_and_read(&job);
    check_cost(reading->total, 3, 0, 1000, 1000);
    assert_int_equal(job.notes.count, 1);
    assert_non_null(strstr(job.notes.text[0], "1 short-lived blocks"));
    free(reading);
    recording_destroy(recording);
}

/* A number behind `label` in the summary of heaptrack_print. */
static double printed(const char *text, const char *label)
{
    const char *at = strstr(text, label);
    assert_non_null(at);
    return strtod(at + strlen(label), NULL);
}

static int64_t folded_value(const char *text, const char *stack)
{
    const char *at = strstr(text, stack);
    return at ? strtoll(at + strlen(stack), NULL, 10) : 0;
}

static void check_print_flamegraph(char *file, const struct random_run *run)
{
    static const char *const types[] = {"allocations", "leaked", "peak"};
    char folded[] = "/tmp/memoir-test-XXXXXX", out[1 << 16];
    close(mkstemp(folded));
    for (int type = 0; type < 3; type++) {
        char *const argv[] = {"heaptrack_print",   file, "-F", folded, "--flamegraph-cost-type",
                              (char *)types[type], NULL};
        assert_int_equal(run_program(argv, out, sizeof(out)), 0);
        FILE *stream = fopen(folded, "r");
        out[fread(out, 1, sizeof(out) - 1, stream)] = '\0';
        fclose(stream);
        for (unsigned i = 0; i < RUN_SITES; i++) {
            const int64_t want[] = {run->sites[i].calls, run->sites[i].leaked, run->sites[i].peak};
            char stack[32];
            snprintf(stack, sizeof(stack), "main;site%u; ", i);
            assert_int_equal(folded_value(out, stack), want[type]);
        }
    }
    unlink(folded);
}

static void heaptrack_print_shows_our_totals(const char *suffix)
{
    static char out[1 << 20];
    struct random_run run = random_run_create(11, 2000, 1);
    struct export_job job = {.recording = run.recording, .range = TIME_ALL};
    char path[64];
    snprintf(path, sizeof(path), "/tmp/memoir-test-XXXXXX%s", suffix);
    export_to_file("heaptrack", &job, path, suffix);
    char *const argv[] = {"heaptrack_print", path, NULL};
    int status = run_program(argv, out, sizeof(out));
    if (status == 0) {
        CHECK(printed(out, "calls to allocation functions: ") == (double)run.total.calls);
        CHECK(printed(out, "temporary memory allocations: ") == (double)run.total.temporary);
        check_print_flamegraph(path, &run);
    }
    unlink(path);
    recording_destroy(run.recording);
    if (status == -1) {
        print_message("skipped: heaptrack_print is not installed\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static void heaptrack_print_reads_plain_files(void **state)
{
    (void)state;
    heaptrack_print_shows_our_totals("");
}

static void heaptrack_print_reads_gzip_files(void **state)
{
    (void)state;
    heaptrack_print_shows_our_totals(".gz");
}

static void heaptrack_print_reads_zstd_files(void **state)
{
    (void)state;
    heaptrack_print_shows_our_totals(".zst");
}

/* Sums that no program can have, of a damaged recording. */
static void levels_stay_numbers(void **state)
{
    (void)state;
    uint32_t const traces[] = {1};
    struct block_run const huge = {.count = 1, .bytes = INT64_MAX, .freed = INT64_MAX};
    struct block_run const pair = {.count = 1, .bytes = 8, .temporary = 1};
    struct heaptrack_events events = {.traces = traces, .peak = -4, .scale = 1};
    assert_int_equal(heaptrack_events_begin(&events, NULL), 0);
    heaptrack_births(&events, &huge);
    heaptrack_births(&events, &huge);
    assert_int_equal(events.level, INT64_MAX);
    heaptrack_pairs(&events, &pair);
    assert_int_equal(events.shrunk, 1); /* there is no room under that peak */
    assert_int_equal(events.highest, INT64_MAX);
    for (int i = 0; i < 3; i++)
        heaptrack_deaths(&events, &huge);
    assert_int_equal(events.level, INT64_MIN);
    heaptrack_pairs(&events, &pair);
    heaptrack_events_fini(&events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_comes_out_with_its_known_answers),
        cmocka_unit_test(random_runs_keep_calls_peak_leaks_and_temporary),
        cmocka_unit_test(almost_every_free_finds_its_block),
        cmocka_unit_test(a_limit_on_events_keeps_peak_and_leaks),
        cmocka_unit_test(made_up_blocks_never_make_a_peak),
        cmocka_unit_test(levels_stay_numbers),
        cmocka_unit_test(heaptrack_print_reads_plain_files),
        cmocka_unit_test(heaptrack_print_reads_gzip_files),
        cmocka_unit_test(heaptrack_print_reads_zstd_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
