/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/maps.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

TEST(a_line_is_taken_apart)
{
    struct map_region region;
    CHECK(map_region_parse(
        "7f00-8a00 r-xp 00001000 fe:00 4242                       /a file (deleted)", &region));
    CHECK(region.start == 0x7f00 && region.end == 0x8a00 && region.offset == 0x1000 &&
          region.inode == 4242);
    CHECK(region.readable && !region.writable && region.executable && !region.shared);
    CHECK(strcmp(region.name, "/a file (deleted)") == 0);
    CHECK(map_region_parse("1000-2000 rw-s 00000000 00:00 0", &region));
    CHECK(region.shared && region.writable && region.name[0] == '\0');
}

TEST(what_is_no_such_line_is_refused)
{
    struct map_region region;
    CHECK(!map_region_parse("", &region) && !map_region_parse("7f00-8a00", &region));
    CHECK(!map_region_parse("8a00-7f00 r-xp 0 0:0 0", &region) &&
          !map_region_parse("a-b rwx 0 0:0 0", &region));
}

TEST(our_own_mappings_are_found)
{
    struct map_list list;
    char *pages = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(map_list_read((uint32_t)getpid(), &list) == 0 && list.regions.count > 5);
    const struct map_region *region = map_list_find(&list, (uint64_t)pages + 5000);
    CHECK(region && region->readable && region->start <= (uint64_t)pages);
    CHECK(!map_list_find(&list, 16));
    for (size_t i = 1; i < list.regions.count; i++)
        CHECK(list.regions.items[i - 1].end <= list.regions.items[i].start);
    map_list_fini(&list);
    munmap(pages, 8192);
}

TEST(a_process_that_is_not_there_has_none)
{
    struct map_list list;
    CHECK(map_list_read(0x7ffffffe, &list) < 0 && list.regions.count == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_line_is_taken_apart),
                                       cmocka_unit_test(what_is_no_such_line_is_refused),
                                       cmocka_unit_test(our_own_mappings_are_found),
                                       cmocka_unit_test(a_process_that_is_not_there_has_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
