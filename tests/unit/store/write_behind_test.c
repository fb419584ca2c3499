/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/write_behind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#define PIECES 2000u

static struct write_behind *behind;

static int set_up(void **state)
{
    (void)state;
    behind = write_behind_create();
    return behind ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    write_behind_destroy(behind);
    return 0;
}

static int temporary_file(void)
{
    char path[] = "/tmp/memoir-behind-XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    return fd;
}

/* A descriptor on which every write fails for lack of room. */
static int full_disk(void)
{
    return open("/dev/full", O_RDWR);
}

TEST(files_are_as_if_written_at_once)
{
    uint32_t random = 1;
    int fds[3];
    struct late_file *files[3];
    uint64_t sizes[3] = {0}, lost_from;
    for (unsigned i = 0; i < 3; i++) {
        fds[i] = temporary_file();
        files[i] = late_file_open(behind, fds[i]);
        CHECK(fds[i] >= 0 && files[i]);
    }
    for (unsigned i = 0; i < PIECES; i++) {
        random = random * 1664525u + 1013904223u;
        unsigned const which = (random >> 8) % 3;
        uint64_t words[64];
        for (unsigned k = 0; k < 64; k++)
            words[k] = sizes[which] / 8 + k;
        size_t const size = 8 * (1 + (size_t)(random >> 16) % 64);
        CHECK(late_file_put(files[which], words, size, sizes[which]) == 0);
        sizes[which] += size;
    }
    for (unsigned i = 0; i < 3; i++) {
        CHECK(late_file_settle(files[i], &lost_from) == 0 && !late_file_is_behind(files[i]));
        for (uint64_t at = 0; at < sizes[i]; at += 8) {
            uint64_t word = 0;
            CHECK(pread(fds[i], &word, 8, (off_t)at) == 8 && word == at / 8);
        }
        late_file_close(files[i]);
        close(fds[i]);
    }
}

TEST(a_full_disk_is_told_and_tried_again)
{
    uint64_t lost_from = 0;
    char text[8] = "";
    int const fd = full_disk(), roomy = temporary_file();
    struct late_file *file = late_file_open(behind, fd);
    CHECK(fd >= 0 && roomy >= 0 && file);
    CHECK(late_file_put(file, "first ", 6, 0) == 0);
    int err = 0;
    for (unsigned i = 0; i < 1000 && err == 0; i++) { /* it is told once it was tried */
        usleep(1000);
        err = late_file_put(file, "", 0, 6);
    }
    CHECK(err == -ENOSPC && late_file_is_behind(file));
    dup2(roomy, fd); /* somebody made room */
    CHECK(late_file_settle(file, &lost_from) == 0);
    CHECK(late_file_put(file, "second", 6, 6) == 0 && late_file_settle(file, &lost_from) == 0);
    CHECK(pread(roomy, text, 6, 0) == 6 && memcmp(text, "first ", 6) == 0);
    late_file_close(file);
    close(fd);
    close(roomy);
}

TEST(what_cannot_be_written_is_given_up_in_the_end)
{
    uint64_t lost_from = 99;
    int const fd = full_disk(), other = temporary_file();
    struct late_file *file = late_file_open(behind, fd), *beside = late_file_open(behind, other);
    struct stat status;
    CHECK(file && beside);
    CHECK(late_file_put(file, "lost", 4, 24) == 0);
    (void)late_file_put(beside, "kept", 4, 0);
    CHECK(late_file_settle(file, &lost_from) == -ENOSPC && lost_from == 24);
    CHECK(late_file_settle(beside, &lost_from) == 0);
    CHECK(fstat(other, &status) == 0 && status.st_size == 4);
    late_file_close(file);
    late_file_close(beside);
    close(fd);
    close(other);
}

/* More than a disk that does not move may cost in memory. */
TEST(what_waits_is_bounded)
{
    static char megabyte[1 << 20];
    int const fd = full_disk();
    uint64_t lost_from;
    struct late_file *file = late_file_open(behind, fd);
    int err = 0;
    unsigned taken = 0;
    CHECK(file);
    for (; taken < 1000 && err == 0; taken++)
        err = late_file_put(file, megabyte, sizeof(megabyte), 0);
    CHECK((err == -EBUSY || err == -ENOSPC) && taken <= 34);
    CHECK(late_file_settle(file, &lost_from) == -ENOSPC);
    late_file_close(file);
    close(fd);
}

#define BEHIND(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BEHIND(files_are_as_if_written_at_once),
        BEHIND(a_full_disk_is_told_and_tried_again),
        BEHIND(what_cannot_be_written_is_given_up_in_the_end),
        BEHIND(what_waits_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
