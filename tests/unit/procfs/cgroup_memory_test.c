/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/cgroup/cgroup_memory.h"

#include <string.h>
#include <unistd.h>

#include "check.h"
#include "procfs/process/thread_stacks.h"

TEST(the_controller_decides_which_hierarchy_counts)
{
    char path[64];
    CHECK(cgroup_memory_path(slice_of("5:cpu:/a\n4:cpuset,memory:/pod/x\n0::/\n"), true, path,
                             sizeof(path)) == 1);
    CHECK(strcmp(path, "/pod/x") == 0);
    CHECK(cgroup_memory_path(slice_of("0::/system.slice/a.service\n"), true, path, sizeof(path)) ==
          2);
    CHECK(strcmp(path, "/system.slice/a.service") == 0);
    CHECK(cgroup_memory_path(slice_of("0::/x\n"), false, path, sizeof(path)) == 0);
    CHECK(cgroup_memory_path(slice_of("4:memoryless:/x\n:\nmemory"), false, path, sizeof(path)) ==
          0);
}

TEST(both_versions_of_memory_stat_are_read)
{
    struct cgroup_memory memory = {.version = 2};
    cgroup_memory_stat(&memory,
                       slice_of("anon 4096\nfile 10\ninactive_file 7\nanon_thp 5\nslab\n"));
    CHECK(memory.anon == 4096 && memory.file == 10 && memory.inactive_file == 7 &&
          memory.slab == 0);
    memory = (struct cgroup_memory){.version = 1};
    cgroup_memory_stat(&memory,
                       slice_of("rss 1\ntotal_rss 22\ninactive_file 9\ntotal_inactive_file 3"));
    CHECK(memory.anon == 22 && memory.inactive_file == 3);
}

TEST(ours_can_be_read_or_is_said_to_be_missing)
{
    struct cgroup_memory memory;
    if (cgroup_memory_read((uint32_t)getpid(), &memory) == 0)
        CHECK(memory.current > 0 && memory.working_set >= 0 &&
              memory.working_set <= memory.current);
    else
        CHECK(memory.version == 0);
}

TEST(stack_pointers_come_from_the_last_words_but_one)
{
    CHECK(thread_stack_parse("running\n") == 0 && thread_stack_parse("") == 0);
    CHECK(thread_stack_parse("-1 0x7ffc1000 0x55aa") == 0x7ffc1000);
    CHECK(thread_stack_parse(
              "232 0x5 0x7f 0x40 0xffffffff 0x0 0x0 0x7ffe12345678 0x7f00aabbccdd\n") ==
          0x7ffe12345678);
    struct thread_stacks stacks;
    CHECK(thread_stacks_read((uint32_t)getpid(), &stacks) == 0 && stacks.threads.count == 1);
    CHECK(stacks.threads.items[0].tid == (uint32_t)getpid() && stacks.threads.items[0].name[0]);
    thread_stacks_fini(&stacks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_controller_decides_which_hierarchy_counts),
        cmocka_unit_test(both_versions_of_memory_stat_are_read),
        cmocka_unit_test(ours_can_be_read_or_is_said_to_be_missing),
        cmocka_unit_test(stack_pointers_come_from_the_last_words_but_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
