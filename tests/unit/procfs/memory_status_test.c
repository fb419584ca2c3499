/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/memory_status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "procfs/process/open_files.h"

TEST(sizes_come_in_bytes)
{
    struct memory_status const memory = memory_status_parse(
        slice_of("Name:\ta name\nState:\tS (sleeping)\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n"
                 "RssAnon:\t     512 kB\nRssFile:\t     256 kB\nRssShmem:\t     0 kB\n"
                 "VmSwap:\t       4 kB\nThreads:\t3\n"));
    assert_string_equal(memory.name, "a name");
    CHECK(memory.state == 'S' && memory.threads == 3);
    CHECK(memory.rss_bytes == 1 << 20 && memory.rss_peak_bytes == 2 << 20);
    CHECK(memory.anon_bytes == 512 << 10 && memory.file_bytes == 256 << 10);
    CHECK(memory.shmem_bytes == 0 && memory.swap_bytes == 4096);
}

TEST(what_is_not_said_is_unknown)
{
    static const char *const texts[] = {
        "",
        "VmRSS:",
        "VmRSS:\n",
        "VmRSS:\tmany kB",
        "VmRSS:\t99999999999999999999 kB\n",
        "\n\n",
        "Name:"
        "\taaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct memory_status const memory = memory_status_parse(slice_of(texts[i]));
        CHECK(memory.rss_bytes == -1 && memory.threads == -1);
        CHECK(strlen(memory.name) < sizeof(memory.name));
    }
}

TEST(this_process_is_there_and_others_are_not)
{
    struct memory_status memory;
    CHECK(memory_status_read((uint32_t)getpid(), &memory) == 0 && memory.rss_bytes > 0);
    CHECK(memory_status_read(0x7fffffff, &memory) == -ENOENT);
}

/* The name under which this test runs. */
static const char *own_name(char path[4096])
{
    ssize_t const length = readlink("/proc/self/exe", path, 4095);
    path[length > 0 ? length : 0] = '\0';
    return strrchr(path, '/') + 1;
}

TEST(files_open_for_writing_are_found_by_program)
{
    char path[4096], file[] = "/tmp/open-files-XXXXXX", ours[64], other[64];
    int const fd = mkstemp(file), read_only = open(file, O_RDONLY);
    struct open_files files;
    bool found = false;
    snprintf(ours, sizeof(ours), "/proc/%d/fd/%d", (int)getpid(), fd);
    snprintf(other, sizeof(other), "/proc/%d/fd/%d", (int)getpid(), read_only);
    CHECK(open_files_find(own_name(path), &files) == 0);
    vec_each (open_file, &files.files) {
        found = found || strcmp(open_file->path, ours) == 0;
        CHECK(strcmp(open_file->path, other) != 0);
    }
    CHECK(found);
    open_files_fini(&files);
    CHECK(open_files_find("no-such-program-runs", &files) == 0 && files.files.count == 0);
    open_files_fini(&files);
    close(fd);
    close(read_only);
    unlink(file);
}

TEST(a_process_has_its_own_number_in_its_own_namespace)
{
    CHECK(process_number_for((uint32_t)getpid(), (uint32_t)getpid()) == (uint32_t)getpid());
    CHECK(process_number_for(0x7fffffff, (uint32_t)getpid()) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_come_in_bytes),
        cmocka_unit_test(what_is_not_said_is_unknown),
        cmocka_unit_test(this_process_is_there_and_others_are_not),
        cmocka_unit_test(files_open_for_writing_are_found_by_program),
        cmocka_unit_test(a_process_has_its_own_number_in_its_own_namespace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
