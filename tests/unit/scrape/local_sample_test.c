/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/local/local_sample.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define BLOCK_BYTES (32 << 20)

TEST(s10_a_process_is_sampled_without_starting_another_one)
{
    struct local_sample before, after;
    struct rusage children;
    CHECK(local_sample_read((uint32_t)getpid(), &before) == 0);
    char *block =
        mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(block, 1, BLOCK_BYTES);
    int const fd = open("/dev/null", O_RDONLY);
    CHECK(local_sample_read((uint32_t)getpid(), &after) == 0);
    CHECK(after.rss_bytes - before.rss_bytes >= BLOCK_BYTES - (4 << 20));
    CHECK(after.vsz_bytes - before.vsz_bytes >= BLOCK_BYTES);
    CHECK(after.pss_bytes - before.pss_bytes >= BLOCK_BYTES - (4 << 20));
    CHECK(after.pss_bytes <= after.rss_bytes + (4 << 20));
    assert_int_equal(after.fds, before.fds + 1);
    CHECK(after.threads == 1 && after.cpu_ms >= before.cpu_ms && after.swap_bytes >= 0);
    CHECK(getrusage(RUSAGE_CHILDREN, &children) == 0 && children.ru_maxrss == 0);
    close(fd);
    munmap(block, BLOCK_BYTES);
}

TEST(processor_time_is_what_the_kernel_counts)
{
    struct local_sample sample;
    struct rusage usage;
    volatile unsigned long sum = 0;
    do { /* a tenth of a second of work, however long that takes */
        for (unsigned long i = 0; i < 1000000; i++)
            sum += i;
        getrusage(RUSAGE_SELF, &usage);
    } while (usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000 < 100);
    CHECK(local_sample_read((uint32_t)getpid(), &sample) == 0);
    CHECK(sample.cpu_ms >= 60); /* ticks of ten milliseconds, both rounded down */
}

TEST(c1_a_process_that_is_gone_is_told)
{
    struct local_sample sample;
    siginfo_t info;
    pid_t const pid = fork();
    if (pid == 0)
        _exit(0);
    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    CHECK(local_sample_read((uint32_t)pid, &sample) == -ESRCH); /* its end is still there */
    waitpid(pid, NULL, 0);
    CHECK(local_sample_read((uint32_t)pid, &sample) == -ESRCH);
}

TEST(columns_that_are_not_known_are_empty)
{
    char out[LOCAL_SAMPLE_TEXT_MAX];
    struct local_sample const sample = {.pid = 7,
                                        .rss_bytes = 4096,
                                        .vsz_bytes = 8192,
                                        .pss_bytes = -1,
                                        .swap_bytes = 0,
                                        .threads = 3,
                                        .fds = -1,
                                        .cpu_ms = 12,
                                        .read_bytes = -1,
                                        .written_bytes = 5};
    assert_string_equal(local_sample_render(&sample, out), "4,8,7,,0,3,,12,,5");
    struct local_sample const large = {.pid = UINT32_MAX,
                                       .rss_bytes = INT64_MAX,
                                       .vsz_bytes = INT64_MAX,
                                       .pss_bytes = INT64_MAX,
                                       .swap_bytes = INT64_MAX,
                                       .threads = INT64_MAX,
                                       .fds = INT64_MAX,
                                       .cpu_ms = INT64_MAX,
                                       .read_bytes = INT64_MAX,
                                       .written_bytes = INT64_MAX};
    CHECK(strlen(local_sample_render(&large, out)) < LOCAL_SAMPLE_TEXT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s10_a_process_is_sampled_without_starting_another_one),
        cmocka_unit_test(processor_time_is_what_the_kernel_counts),
        cmocka_unit_test(c1_a_process_that_is_gone_is_told),
        cmocka_unit_test(columns_that_are_not_known_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
