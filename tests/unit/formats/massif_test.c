/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "export_to.h"
#include "sample_recording.h"

static char *export(struct recording *recording, struct export_job job)
{
    struct fault fault = {.text = ""};
    size_t size;
    job.recording = recording;
    if (!job.range.to_ns)
        job.range = TIME_ALL;
    char *text = export_to_memory("massif", &job, &size, &fault);
    if (!text)
        fail_msg("%s", fault.text);
    return text;
}

TEST(snapshots_are_written_as_massif_writes_them)
{
    struct sample sample = sample_create();
    char *text = export(sample.recording, (struct export_job){0});
    CHECK(strncmp(text, "desc: --max-snapshots=100 --threshold=1.00 --depth=30 ", 54) == 0);
    CHECK(strstr(text, "\ntime_unit: ms\n#-----------\nsnapshot=0\n#-----------\ntime=0\n"
                       "mem_heap_B=0\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=empty\n"));
    const char *peak = strstr(text, "time=18000\nmem_heap_B=11538436\n");
    CHECK(peak);
    peak = strstr(peak, "heap_tree=peak\n");
    CHECK(peak);
    const char *tree =
        "heap_tree=peak\n"
        "n3: 11538436 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
        " n1: 10485760 cache_insert (";
    CHECK(strncmp(peak, tree, strlen(tree)) == 0);
    CHECK(strstr(peak, "\n n1: 1048576 walk ("));
    CHECK(strstr(peak, "\n n0: 4100 in 2 places, all below massif's threshold (1.00%)\n"));
    free(text);
    sample_destroy(&sample);
}

TEST(hostile_names_keep_the_file_readable)
{
    struct sample sample = sample_create();
    struct recording *recording = sample.recording;
    vec_each (location, &recording->locations)
        if (strcmp(recording_text(recording, location->function), "walk") == 0) {
            location->function = recording_intern(recording, "{closure#0}(((\n");
            location->file = recording_intern(recording, "/a (b)/c#.rs");
        }
    recording->command_line = recording_intern(recording, "node --tag #1\nsnapshot=7");
    char *text = export(recording, (struct export_job){0});
    const char *command = strstr(text, "\ncmd: node --tag ＃1 snapshot=7\n");
    CHECK(command);
    CHECK(strstr(text, " {closure＃0}[[[  (/a [b]/c＃.rs"));
    for (const char *at = text; (at = strchr(at, '#')); at += 12)
        CHECK(strncmp(at, "#-----------\n", 13) == 0 && (at == text || at[-1] == '\n'));
    free(text);
    sample_destroy(&sample);
}

TEST(another_level_has_a_root_of_its_own)
{
    struct sample sample = sample_create();
    char *text = export(sample.recording, (struct export_job){.metric = metric_find("resident")});
    CHECK(strstr(text, "\nn0: 0 (resident) resident memory, by owner\n"));
    free(text);
    struct export_job job = {
        .recording = sample.recording, .range = TIME_ALL, .metric = metric_find("heap.calls")};
    struct fault fault = {.text = ""};
    size_t size;
    CHECK(!export_to_memory("massif", &job, &size, &fault) && strstr(fault.text, "heap.calls"));
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snapshots_are_written_as_massif_writes_them),
        cmocka_unit_test(hostile_names_keep_the_file_readable),
        cmocka_unit_test(another_level_has_a_root_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
