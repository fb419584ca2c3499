/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/area_list.h"

#include <string.h>
#include <unistd.h>

#include "check.h"

static struct map_region regions[16];
static struct map_list maps;
static struct area_list list;

static void region(uint64_t start, uint64_t end, const char *rights, uint64_t inode,
                   const char *name)
{
    maps.regions.items = regions;
    regions[maps.regions.count++] = (struct map_region){.start = start,
                                                        .end = end,
                                                        .inode = inode,
                                                        .readable = rights[0] == 'r',
                                                        .writable = rights[1] == 'w',
                                                        .executable = rights[2] == 'x',
                                                        .shared = rights[3] == 's',
                                                        .name = name};
}

static int end(void **state)
{
    (void)state;
    area_list_fini(&list);
    memset(&maps, 0, sizeof(maps));
    return 0;
}

static bool is(size_t index, enum owner_kind kind, const char *name)
{
    const struct owner_area *area = &list.areas.items[index];
    return index < list.areas.count && area->kind == kind &&
           strcmp(string_table_text(list.names, area->name), name) == 0;
}

TEST(mappings_are_told_by_name_and_neighbours)
{
    struct stack_spot const stack = {0x7f0000012ff8, 0};
    struct area_question const question = {
        .pid = (uint32_t)getpid(), .memory = -1, .maps = &maps, .stacks = &stack};
    region(0x1000, 0x2000, "r-xp", 5, "/bin/node");
    region(0x2000, 0x3000, "rw-p", 5, "/bin/node");
    region(0x3000, 0x9000, "rw-p", 0, ""); /* its zeros */
    region(0xa000, 0xb000, "rw-p", 0, "[heap]");
    region(0xc000, 0xd000, "rwxp", 0, "");
    region(0xe000, 0xf000, "rw-s", 9, "/memfd:memoir (deleted)");
    region(0x10000, 0x11000, "rw-s", 9, "/dev/nvidia0"); /* in no count */
    region(0x12000, 0x13000, "rw-s", 9, "/dev/shm/cache");
    region(0x14000, 0x15000, "r--p", 0, "[vvar]");
    region(0x20000, 0x30000, "rw-p", 0, "");
    region(0xc000000000, 0xc000400000, "rw-p", 0, "");
    CHECK(area_list_make(&question, &list) == 0);
    CHECK(is(0, OWNER_FILE, "/bin/node") && is(1, OWNER_FILE, "/bin/node"));
    CHECK(is(2, OWNER_FILE, "/bin/node") && list.areas.items[2].may_be_heap);
    CHECK(is(3, OWNER_KEPT, "main arena"));
    CHECK(is(4, OWNER_RUNTIME, "code made at run time"));
    CHECK(is(5, OWNER_OWN, "memoir"));
    CHECK(is(6, OWNER_FILE, "/dev/shm/cache"));
    CHECK(is(7, OWNER_OTHER, "anonymous memory") && list.areas.items[7].may_be_heap);
    CHECK(is(8, OWNER_RUNTIME, "heap of Go"));
    assert_int_equal(list.areas.count, 9);
}

TEST(what_a_runtime_knows_of_anonymous_memory_is_its_own)
{
    struct known_area const known[] = {{0x1000, 0x2000, "other mapping"},
                                       {0x22000, 0x28000, "Java Runtime: Heap"},
                                       {0x28000, 0x29000, "Java Runtime: Code"},
                                       {0x2f000, 0x44000, "Java Runtime: Heap"}};
    struct area_question const question = {
        .pid = (uint32_t)getpid(), .memory = -1, .maps = &maps, .known = known, .known_count = 4};
    region(0x1000, 0x2000, "r--p", 5, "/bin/node");
    region(0x20000, 0x30000, "rw-p", 0, "");
    region(0x40000, 0x50000, "rw-p", 0, "");
    CHECK(area_list_make(&question, &list) == 0);
    CHECK(is(0, OWNER_FILE, "/bin/node"));
    CHECK(is(1, OWNER_OTHER, "anonymous memory") && list.areas.items[1].end == 0x22000);
    CHECK(is(2, OWNER_RUNTIME, "Java Runtime: Heap") && !list.areas.items[2].may_be_heap);
    CHECK(is(3, OWNER_RUNTIME, "Java Runtime: Code") && list.areas.items[3].end == 0x29000);
    CHECK(is(4, OWNER_OTHER, "anonymous memory") && is(5, OWNER_RUNTIME, "Java Runtime: Heap"));
    CHECK(is(6, OWNER_RUNTIME, "Java Runtime: Heap") && list.areas.items[6].end == 0x44000);
    CHECK(is(7, OWNER_OTHER, "anonymous memory") && list.areas.items[7].end == 0x50000);
    assert_int_equal(list.areas.count, 8);
    for (size_t i = 2; i < list.areas.count; i++)
        CHECK(list.areas.items[i].start >= list.areas.items[i - 1].end);
}

TEST(stacks_are_known_by_a_spot_and_old_ones_by_their_guard)
{
    struct stack_spot const stacks[] = {{0x7f0000012ff8, 1}, {0x7f0000100000, 1}};
    struct owner_range const mapped = {0x7f0000031000, 0x7f0000041000, 0};
    struct area_question const question = {.pid = (uint32_t)getpid(),
                                           .memory = -1,
                                           .maps = &maps,
                                           .stacks = stacks,
                                           .stack_count = 2,
                                           .mapped = &mapped,
                                           .mapped_count = 1};
    region(0x7f0000002000, 0x7f0000003000, "---p", 0, "");
    region(0x7f0000003000, 0x7f0000013000, "rw-p", 0, "");
    region(0x7f0000020000, 0x7f0000021000, "---p", 0, "");
    region(0x7f0000021000, 0x7f0000030000, "rw-p", 0, ""); /* nobody is on it any more */
    region(0x7f0000030000, 0x7f0000031000, "---p", 0, "");
    region(0x7f0000031000, 0x7f0000041000, "rw-p", 0, ""); /* the program's own, with a guard */
    CHECK(area_list_make(&question, &list) == 0);
    CHECK(list.areas.items[1].kind == OWNER_STACK);
    CHECK(strncmp(string_table_text(list.names, list.areas.items[1].name), "stack of thread 1",
                  17) == 0);
    CHECK(is(3, OWNER_STACK, "stacks of ended threads"));
    CHECK(is(5, OWNER_OTHER, "anonymous memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(mappings_are_told_by_name_and_neighbours, end),
        cmocka_unit_test_teardown(what_a_runtime_knows_of_anonymous_memory_is_its_own, end),
        cmocka_unit_test_teardown(stacks_are_known_by_a_spot_and_old_ones_by_their_guard, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
