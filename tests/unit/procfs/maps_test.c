/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/maps.h"

#include <fcntl.h>
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

/* A file may be named for what the list looks like: still one line, one mapping, one name. */
TEST(a_name_cannot_forge_a_mapping)
{
    static const char name[] = "memoir-forged\n1000-2000 r-xp 00000000 fe:00 7 lib.so (deleted)";
    struct map_list list;
    size_t found = 0;
    int const fd = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int const file = openat(fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && file >= 0 && ftruncate(file, 4096) == 0);
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    CHECK(page != MAP_FAILED && unlinkat(fd, name, 0) == 0);
    CHECK(map_list_read((uint32_t)getpid(), &list) == 0);
    CHECK(map_list_find(&list, 0x1000) == NULL);
    vec_each (region, &list.regions) {
        CHECK(strchr(region->name, '\n') == NULL && region->inode != 7);
        found += strstr(region->name, "memoir-forged\\0121000-2000") != NULL;
    }
    assert_int_equal(found, 1);
    map_list_fini(&list);
    munmap(page, 4096);
    close(file);
    close(fd);
}

/* As many as the kernel lets a process have. */
TEST(all_mappings_of_a_process_are_read)
{
    enum { MAPPINGS = 60000 };
    struct map_list list;
    char *pages =
        mmap(NULL, (size_t)MAPPINGS * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t count = 0;
    CHECK(pages != MAP_FAILED);
    for (size_t i = 0; i < MAPPINGS; i += 2)
        if (mprotect(pages + i * 4096, 4096, PROT_NONE) < 0)
            skip(); /* the limit of this machine is lower */
    CHECK(map_list_read((uint32_t)getpid(), &list) == 0 && list.regions.count >= MAPPINGS);
    for (size_t i = 0; i < MAPPINGS; i += 1000) {
        const struct map_region *region = map_list_find(&list, (uint64_t)pages + i * 4096);
        count += region && region->end - region->start == 4096 && !region->readable;
    }
    assert_int_equal(count, MAPPINGS / 1000);
    map_list_fini(&list);
    munmap(pages, (size_t)MAPPINGS * 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_line_is_taken_apart),
                                       cmocka_unit_test(what_is_no_such_line_is_refused),
                                       cmocka_unit_test(a_name_cannot_forge_a_mapping),
                                       cmocka_unit_test(all_mappings_of_a_process_are_read),
                                       cmocka_unit_test(our_own_mappings_are_found),
                                       cmocka_unit_test(a_process_that_is_not_there_has_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
