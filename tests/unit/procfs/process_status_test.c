/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_status.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

TEST(the_text_of_a_contained_process)
{
    struct process_status status;
    process_status_parse(
        "Name:\tredis server\nState:\tS (sleeping)\nTgid:\t4242\nPPid:\t7\nTracerPid:\t99\n"
        "Uid:\t1000\t1001\t1001\t1001\nNSpid:\t4242\t17\t1\nVmSize:\t  100 kB\nThreads:\t5\n"
        "SigPnd:\t0000000000000001\nShdPnd:\t0000000000000100\nSeccomp:\t2\n"
        "x86_Thread_features:\tshstk \n",
        &status);
    CHECK(strcmp(status.name, "redis server") == 0 && status.state == 'S' && status.group == 4242);
    CHECK(status.parent == 7 && status.tracer == 99 && status.user == 1000 && status.threads == 5);
    CHECK(status.inner_pid == 1 && status.namespaces == 3 && status.seccomp == 2 &&
          status.has_memory);
    CHECK(status.pending == 0x101 && status.shadow_stack);
}

TEST(no_text_says_nothing)
{
    struct process_status status;
    process_status_parse("", &status);
    CHECK(status.name[0] == '\0' && status.state == '\0' && !status.has_memory &&
          status.namespaces == 0);
}

TEST(ourselves_a_zombie_and_the_kernel)
{
    struct process_status status;
    CHECK(process_status_read((uint32_t)getpid(), 0, &status) == 0 &&
          status.group == (uint32_t)getpid());
    CHECK(status.state == 'R' && status.has_memory && !process_is_kernel((uint32_t)getpid()));
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    siginfo_t info;
    CHECK(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
    CHECK(process_status_read((uint32_t)child, 0, &status) == 0 && status.state == 'Z' &&
          !status.has_memory);
    waitpid(child, NULL, 0);
    CHECK(process_status_read((uint32_t)child, 0, &status) < 0);
    if (process_status_read(2, 0, &status) == 0 && strcmp(status.name, "kthreadd") == 0)
        CHECK(process_is_kernel(2) && !status.has_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_text_of_a_contained_process),
                                       cmocka_unit_test(no_text_says_nothing),
                                       cmocka_unit_test(ourselves_a_zombie_and_the_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
