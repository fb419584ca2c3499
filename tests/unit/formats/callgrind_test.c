/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "export_to.h"
#include "sample_recording.h"

static char *export(struct sample *sample, struct export_job job)
{
    struct fault fault = {.text = ""};
    size_t size;
    job.recording = sample->recording;
    job.range = TIME_ALL;
    char *text = export_to_memory("callgrind", &job, &size, &fault);
    if (!text)
        fail_msg("%s", fault.text);
    return text;
}

TEST(metrics_stand_side_by_side)
{
    struct sample sample = sample_create();
    char *text = export(&sample, (struct export_job){0});
    CHECK(strncmp(text, "# callgrind format\nversion: 1\ncreator: memoir ", 46) == 0);
    CHECK(strstr(text, "\npositions: line\nevent: AllocB : heap.allocated, "));
    CHECK(strstr(text,
                 "\nevents: AllocB Allocs PeakB LiveB\nsummary: 11730436 3014 11538436 2625540\n"));
    CHECK(strstr(text, "\ntotals: 11730436 3014 11538436 2625540\n"));
    free(text);
    sample_destroy(&sample);
}

/* walk < walk < walk: its own cost once, and no call of itself; main calls it. */
TEST(recursion_counts_once)
{
    struct sample sample = sample_create();
    char *text = export(&sample, (struct export_job){.metric = metric_find("heap.peak")});
    CHECK(strstr(text, ") walk\n") && strstr(text, "\nevents: PeakB\n"));
    const char *main_calls = strstr(text, "calls=1 0\n");
    CHECK(main_calls);
    size_t costs = 0; /* walk's own, and that of the call of it */
    for (const char *at = text; (at = strstr(at, " 1048576\n")); at++)
        costs++;
    CHECK(costs == 2);
    free(text);
    sample_destroy(&sample);
}

TEST(another_metric_has_an_event_of_its_name)
{
    struct sample sample = sample_create();
    char *text = export(&sample, (struct export_job){.metric = metric_find("heap.temporary")});
    CHECK(strstr(text, "\nevents: HeapTemporary\nsummary: 2700\n"));
    free(text);
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_stand_side_by_side),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(another_metric_has_an_event_of_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
