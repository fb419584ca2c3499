/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/mapping_kind.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "check.h"

static struct map_region region_of(unsigned minor_number, const char *name)
{
    return (struct map_region){.device = makedev(0, minor_number), .inode = 5, .name = name};
}

TEST(file_systems_are_known_by_their_mounts)
{
    static const char mounts[] =
        "22 28 0:20 / /sys rw,nosuid - sysfs sysfs rw\n"
        "24 28 0:9021 / /dev/shm rw shared:4 master:7 - tmpfs tmpfs rw,size=1000k\n"
        "25 28 0:9022 / /huge\\040pages rw - hugetlbfs none rw\n"
        "26 28 0:9023 / /overlay rw - overlay tmpfs rw\n"
        "no line of it\n\n27 28 0:9024 / /x rw - tmpfs";
    struct mapping_kinds kinds = {.has_kernels = false};
    struct map_region region = region_of(9021, "/dev/shm/x");
    CHECK(mapping_kinds_parse(&kinds, mounts) == 0 && kinds.devices.count == 5);
    CHECK(mapping_kinds_find(&kinds, (uint32_t)getpid(), &region) == MAPPING_SHMEM);
    region = region_of(9022, "/huge pages/x");
    CHECK(mapping_kinds_find(&kinds, (uint32_t)getpid(), &region) == MAPPING_UNCOUNTED);
    region = region_of(9023, "/overlay/x");
    CHECK(mapping_kinds_find(&kinds, (uint32_t)getpid(), &region) == MAPPING_FILE);
    region = region_of(9024, "/x/y");
    CHECK(mapping_kinds_find(&kinds, (uint32_t)getpid(), &region) == MAPPING_SHMEM);
    region = region_of(9025, "/gone"); /* of no mount: asked once, remembered */
    size_t const before = kinds.devices.count;
    CHECK(mapping_kinds_find(&kinds, (uint32_t)getpid(), &region) == MAPPING_FILE);
    CHECK(kinds.devices.count > before);
    mapping_kinds_fini(&kinds);
}

/* Memory of our own, as the kernel names it. */
TEST(shared_memory_is_known_however_it_is_called)
{
    struct mapping_kinds kinds = {.has_kernels = false};
    struct map_list list;
    int const fd = memfd_create("test", 0);
    CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
    char *named = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    char *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t const pid = (uint32_t)getpid();
    CHECK(map_list_read(pid, &list) == 0);
    CHECK(mapping_kinds_find(&kinds, pid, map_list_find(&list, (uint64_t)named)) == MAPPING_SHMEM);
    CHECK(mapping_kinds_find(&kinds, pid, map_list_find(&list, (uint64_t)shared)) == MAPPING_SHMEM);
    CHECK(mapping_kinds_find(&kinds, pid, map_list_find(&list, (uint64_t)own)) == MAPPING_FILE);
    CHECK(mapping_kinds_find(&kinds, pid, map_list_find(&list, (uint64_t)(uintptr_t)region_of)) ==
          MAPPING_FILE);
    map_list_fini(&list);
    mapping_kinds_fini(&kinds);
}

/* Its inode is its id, and the first one of a machine or container has the id 0. */
TEST(the_first_segment_of_system_v_is_shared_memory)
{
    struct mapping_kinds kinds = {.has_kernels = false};
    struct stat facts;
    int const fd = memfd_create("test", 0);
    CHECK(fd >= 0 && fstat(fd, &facts) == 0);
    struct map_region const region = {
        .device = facts.st_dev, .inode = 0, .shared = true, .name = "/SYSV00000000 (deleted)"};
    CHECK(mapping_kinds_find(&kinds, (uint32_t)getpid(), &region) == MAPPING_SHMEM);
    close(fd);
    mapping_kinds_fini(&kinds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_systems_are_known_by_their_mounts),
        cmocka_unit_test(shared_memory_is_known_however_it_is_called),
        cmocka_unit_test(the_first_segment_of_system_v_is_shared_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
