/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are made of a recording with losses or estimates say so, and what is read back
 * still does. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "export_to.h"
#include "formats/shared/readers.h"
#include "model/losses.h"
#include "sample_recording.h"

typedef struct recording *read_bytes(const void *data, size_t size, struct fault *fault);

static const struct {
    const char *format;
    read_bytes *read; /* NULL: the format has no place for it */
} formats[] = {
    {"pprof", pprof_recording_read_bytes},
    {"massif", massif_read_bytes},
    {"callgrind", callgrind_read_bytes},
    {"heaptrack", heaptrack_read_bytes},
    {"folded", NULL},
    {"perf", NULL},
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static void lose(struct recording *recording)
{
    recording->quality.events = 1000;
    recording->quality.lost_events = 2000;
    recording->quality.lost_bytes = 4096;
    recording->quality.live_doubt_bytes = 1 << 20;
}

static void estimate(struct recording *recording)
{
    recording->quality.thinned_calls = 7;
    recording->quality.sample_rate = 65536;
    recording->heap.calls = 3014;
}

static void fill_disk(struct recording *recording)
{
    recording->quality.unwritten_from_ns = 693000000;
}

static char *export_as(const char *format, struct export_job *job, size_t *size)
{
    struct fault fault = {.text = ""};
    char *bytes = export_to_memory(format, job, size, &fault);
    if (!bytes)
        fail_msg("%s: %s", format, fault.text);
    return bytes;
}

static void check_read_back(size_t which, const char *bytes, size_t size, const char *words)
{
    struct fault fault = {.text = ""};
    char text[LOSSES_TEXT_MAX];
    struct recording *recording = formats[which].read(bytes, size, &fault);
    if (!recording)
        fail_msg("%s: %s", formats[which].format, fault.text);
    CHECK(losses_are_told(recording));
    CHECK(losses_render(recording, text)); /* for the next file */
    CHECK(strstr(text, words));
    recording_destroy(recording);
}

static void check_told(void (*spoil)(struct recording *), const char *words)
{
    for (size_t i = 0; i < FORMATS; i++) {
        struct sample sample = sample_create();
        spoil(sample.recording);
        struct export_job job = {.recording = sample.recording, .range = TIME_ALL};
        size_t size;
        char *bytes = export_as(formats[i].format, &job, &size);
        CHECK(job.notes.count > 0 && strstr(job.notes.text[0], words));
        CHECK(strncmp(job.notes.text[0], LOSSES_TOLD, strlen(LOSSES_TOLD)) == 0);
        if (formats[i].read)
            check_read_back(i, bytes, size, words);
        free(bytes);
        sample_destroy(&sample);
    }
}

TEST(lost_events_are_told)
{
    check_told(lose, "2,000 of 3,000 events were lost");
    check_told(lose, "may be 1.00 MiB less or 4.00 KiB more");
}

TEST(estimates_are_told)
{
    check_told(estimate, "7 of 3,014 allocations are estimated from samples (one in 64.0 KiB)");
}

TEST(what_could_not_be_written_is_told)
{
    check_told(fill_disk, "what came after 693 ms could not be written");
}

TEST(nothing_is_told_when_nothing_was_lost)
{
    for (size_t i = 0; i < FORMATS; i++) {
        struct sample sample = sample_create();
        struct export_job job = {.recording = sample.recording, .range = TIME_ALL};
        size_t size;
        char *bytes = export_as(formats[i].format, &job, &size);
        for (size_t k = 0; k < job.notes.count; k++)
            CHECK(!strstr(job.notes.text[k], LOSSES_TOLD));
        CHECK(!memmem(bytes, size, LOSSES_TOLD, strlen(LOSSES_TOLD)));
        free(bytes);
        sample_destroy(&sample);
    }
}

TEST(estimates_are_never_exact)
{
    struct sample sample = sample_create();
    estimate(sample.recording);
    struct export_job job = {.recording = sample.recording, .range = TIME_ALL, .max_events = 100};
    size_t size;
    char *text = export_as("heaptrack", &job, &size);
    CHECK(strstr(text, "# about one event in "));
    CHECK(!strstr(text, "are exact"));
    struct fault fault = {.text = ""};
    struct recording *recording = heaptrack_read_bytes(text, size, &fault);
    assert_non_null(recording);
    bool is_kept = false;
    vec_each (note, &recording->notes)
        is_kept |= strstr(recording_text(recording, *note), "multiply calls") != NULL;
    CHECK(is_kept);
    recording_destroy(recording);
    free(text);
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_events_are_told),
        cmocka_unit_test(estimates_are_told),
        cmocka_unit_test(what_could_not_be_written_is_told),
        cmocka_unit_test(nothing_is_told_when_nothing_was_lost),
        cmocka_unit_test(estimates_are_never_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
