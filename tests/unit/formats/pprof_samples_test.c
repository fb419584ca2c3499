/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_samples.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pprof_reader.h"
#include "sample_recording.h"

static struct sample sample;
static struct pprof_samples samples;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    samples = (struct pprof_samples){.recording = sample.recording,
                                     .columns = {{"samples", "count"}, {"cpu", "nanoseconds"}},
                                     .column_count = 2,
                                     .period_type = {"cpu", "nanoseconds"},
                                     .period = 10000000,
                                     .duration_ns = 5000000000};
    return 0;
}

static int end(void **state)
{
    (void)state;
    vec_free(&samples.samples);
    sample_destroy(&sample);
    return 0;
}

static struct pprof_reading *write_and_read(void)
{
    char *data = NULL;
    size_t size;
    FILE *file = open_memstream(&data, &size);
    struct output *out = output_create(file, COMPRESS_GZIP);
    CHECK(pprof_samples_write(&samples, out, NULL) == 0);
    CHECK(output_finish(out, NULL) == 0);
    fclose(file);
    struct pprof_reading *reading = pprof_read(data, size);
    free(data);
    return reading;
}

static void add(int site, uint32_t thread, int64_t count)
{
    CHECK(vec_push(&samples.samples,
                   (struct pprof_row){sample.stacks[site], thread, {count, count * 10000000}}));
}

TEST(equal_ones_are_summed_up)
{
    add(SITE_TREE, THREAD_NONE, 2);
    add(SITE_PARSE, THREAD_NONE, 1);
    add(SITE_TREE, THREAD_NONE, 3);
    struct pprof_reading *reading = write_and_read();
    CHECK(reading->sample_count == 2);
    const struct pprof_sample *tree = pprof_find(reading, "_start;main;walk;walk;walk;malloc");
    assert_non_null(tree);
    CHECK(tree->values[0] == 5 && tree->values[1] == 50000000);
    CHECK(reading->duration_nanos == 5000000000 && reading->period == 10000000);
    assert_string_equal(reading->strings[reading->types[1].type], "cpu");
    assert_string_equal(reading->strings[reading->period_type.unit], "nanoseconds");
    pprof_reading_free(reading);
}

TEST(threads_of_one_name_are_one)
{
    size_t const first = sample.recording->threads.count;
    for (int i = 0; i < 3; i++) {
        string_id const name = recording_intern(sample.recording, i < 2 ? "pool" : "other");
        CHECK(vec_push(&sample.recording->threads, (struct thread){.name = name, .merged = 1}));
        add(SITE_TREE, (uint32_t)first + (uint32_t)i, 1);
    }
    struct pprof_reading *reading = write_and_read();
    CHECK(reading->sample_count == 2);
    assert_string_equal(reading->strings[reading->samples[0].label], "pool");
    CHECK(reading->samples[0].values[0] == 2);
    assert_string_equal(reading->strings[reading->samples[1].label], "other");
    pprof_reading_free(reading);
}

TEST(none_at_all_is_a_profile)
{
    struct pprof_reading *reading = write_and_read();
    CHECK(reading->sample_count == 0 && reading->type_count == 2);
    pprof_reading_free(reading);
}

TEST(where_the_kernel_is_stays_a_secret)
{
    struct recording *recording = sample.recording;
    struct module const kernel = {.path = recording_intern(recording, KERNEL_PATH)};
    stack_id stack;
    CHECK(vec_push(&recording->modules, kernel));
    struct frame const frame = {.module = (uint32_t)recording->modules.count - 1,
                                .address = 0xffffffff81000000};
    CHECK(vec_push(&recording->frames, frame));
    CHECK(stack_table_push(recording->stacks, STACK_EMPTY, (uint32_t)recording->frames.count - 1,
                           &stack) == 0);
    CHECK(vec_push(&samples.samples, (struct pprof_row){stack, THREAD_NONE, {1, 1}}));
    struct pprof_reading *reading = write_and_read();
    CHECK(reading->place_count == 1 && reading->places[0].address == 0);
    for (size_t i = 0; i < reading->string_count; i++)
        CHECK(!strstr(reading->strings[i], "ffffffff8"));
    pprof_reading_free(reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_ones_are_summed_up, begin, end),
        cmocka_unit_test_setup_teardown(threads_of_one_name_are_one, begin, end),
        cmocka_unit_test_setup_teardown(none_at_all_is_a_profile, begin, end),
        cmocka_unit_test_setup_teardown(where_the_kernel_is_stays_a_secret, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
