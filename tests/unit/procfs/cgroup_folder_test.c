/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/cgroup/cgroup_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"

static char top[] = "/tmp/memoir-cgroups-XXXXXX";
static char mounts[64];

/* A cgroup below one of the made-up mounts, with these processes. */
static void put(const char *folder, const char *processes)
{
    char path[300];
    snprintf(path, sizeof(path), "mkdir -p %s/%s", top, folder);
    CHECK(system(path) == 0);
    snprintf(path, sizeof(path), "%s/%s/cgroup.procs", top, folder);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(processes, file) >= 0 && fclose(file) == 0);
}

static int make(void **state)
{
    (void)state;
    if (!mkdtemp(top))
        return -1;
    snprintf(mounts, sizeof(mounts), "%s/mounts", top);
    FILE *file = fopen(mounts, "w");
    if (!file)
        return -1;
    fprintf(file, "tmpfs %s tmpfs rw 0 0\n", top);
    fprintf(file, "cgroup %s/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n", top);
    fprintf(file, "cgroup2 %s/unified cgroup2 rw 0 0\n", top);
    fprintf(file, "cgroup %s/memory cgroup rw,memory 0 0\n", top);
    fprintf(file, "cgroup %s/perf_event cgroup rw,perf_event 0 0\n", top);
    return fclose(file);
}

static int clean(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", top);
    return system(command);
}

static const char *found(const char *name)
{
    static char out[CGROUP_FOLDER_MAX];
    return cgroup_folder_find(mounts, name, out) == 0 ? out + strlen(top) + 1 : "";
}

TEST(a_cgroup_of_any_tree_is_found)
{
    char whole[200];
    put("cpu,cpuacct/only-cpu", "7\n");
    put("memory/docker/abc", "8\n");
    put("cpu,cpuacct/docker/abc", "8\n");
    put("unified/both", "9\n");
    put("perf_event/both", "9\n");
    assert_string_equal(found("only-cpu"), "cpu,cpuacct/only-cpu");
    assert_string_equal(found("/docker/abc"), "cpu,cpuacct/docker/abc");
    assert_string_equal(found("both"), "perf_event/both");
    snprintf(whole, sizeof(whole), "%s/memory/docker/abc", top);
    assert_string_equal(found(whole), "memory/docker/abc");
    assert_string_equal(found("nobody"), "");
}

static const char *beside(const char *folder, const char *controller)
{
    static char out[CGROUP_FOLDER_MAX];
    char whole[200];
    snprintf(whole, sizeof(whole), "%s/%s", top, folder);
    return cgroup_folder_beside(mounts, whole, controller, out) == 0 ? out + strlen(top) + 1 : "";
}

TEST(the_same_cgroup_of_another_tree_has_the_same_processes)
{
    put("memory/pod", "8\n15\n");
    put("cpu,cpuacct/pod", "15\n8\n");
    put("perf_event/pod", "8\n15\n");
    assert_string_equal(beside("memory/pod", "perf_event"), "perf_event/pod");
    assert_string_equal(beside("perf_event/pod", "perf_event"), "perf_event/pod");
    assert_string_equal(beside("perf_event/pod", "cpuacct"), "cpu,cpuacct/pod");
    put("perf_event/pod", "8\n16\n");
    assert_string_equal(beside("memory/pod", "perf_event"), "");
    put("memory/empty", "");
    put("perf_event/empty", "");
    assert_string_equal(beside("memory/empty", "perf_event"), "");
    assert_string_equal(beside("memory/pod", "hugetlb"), ""); /* version 2 has no such cgroup */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cgroup_of_any_tree_is_found),
        cmocka_unit_test(the_same_cgroup_of_another_tree_has_the_same_processes),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
