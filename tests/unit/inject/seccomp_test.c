/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "inject/choice/seccomp_check.h"
#include "wire/seccomp_filter.h"
#include "target.h"

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define COUNT(code) (sizeof(code) / sizeof((code)[0]))

static uint32_t answer(const struct sock_filter *code, size_t length, int number, uint64_t argument)
{
    struct seccomp_data call = {.nr = number, .arch = AUDIT_ARCH_X86_64, .args = {argument}};
    return seccomp_filter_run(code, length, &call);
}

TEST(calls_and_arguments_are_told_apart)
{
    const struct sock_filter code[] = {LOAD(nr),
                                       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 5, 0, 3),
                                       LOAD(args[0]),
                                       BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x100, 0, 1),
                                       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
                                       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    CHECK(answer(code, COUNT(code), 5, 0x100) == (SECCOMP_RET_ERRNO | 1));
    CHECK(answer(code, COUNT(code), 5, 0xff) == SECCOMP_RET_ALLOW &&
          answer(code, COUNT(code), 6, 0x100) == SECCOMP_RET_ALLOW);
}

TEST(arithmetic_and_memory)
{
    const struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_IMM, 7),
                                       BPF_STMT(BPF_ST, 3),
                                       BPF_STMT(BPF_LDX | BPF_MEM, 3),
                                       BPF_STMT(BPF_ALU | BPF_MUL | BPF_X, 0),
                                       BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, 9),
                                       BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 3),
                                       BPF_STMT(BPF_MISC | BPF_TAX, 0),
                                       BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
                                       BPF_STMT(BPF_RET | BPF_A, 0)};
    CHECK(answer(code, COUNT(code), 0, 0) == 10);
}

TEST(a_filter_that_cannot_be_kills)
{
    const struct sock_filter divides[] = {BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0),
                                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_filter far[] = {BPF_STMT(BPF_JMP | BPF_JA, 1000)};
    const struct sock_filter outside[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64),
                                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    CHECK(answer(divides, COUNT(divides), 0, 0) == SECCOMP_RET_KILL_PROCESS);
    CHECK(answer(far, COUNT(far), 0, 0) == SECCOMP_RET_KILL_PROCESS &&
          answer(far, 0, 0, 0) == SECCOMP_RET_KILL_PROCESS);
    CHECK(answer(outside, COUNT(outside), 0, 0) == SECCOMP_RET_KILL_PROCESS);
}

/* A process that sleeps, with a filter that forbids one call. */
static pid_t start_filtered(int forbidden)
{
    int ready[2];
    char letter;
    CHECK(pipe(ready) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct sock_filter code[] = {LOAD(nr),
                                     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)forbidden, 0, 1),
                                     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        struct sock_fprog filter = {COUNT(code), code};
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0 || write(ready[1], "y", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    CHECK(pid > 0 && read(ready[0], &letter, 1) == 1);
    close(ready[0]);
    return pid;
}

TEST(filters_of_real_processes_are_tried_out)
{
    struct fault fault = {0};
    pid_t open = start_filtered(SYS_reboot), closed = start_filtered(SYS_madvise);
    int err = seccomp_check(open, &fault);
    if (err == -EACCES) { /* not root, or a kernel without it */
        CHECK(strstr(fault.text, "root") != NULL);
    } else {
        CHECK(err == 0 && seccomp_check(closed, &fault) == -EPERM && strstr(fault.text, "madvise"));
    }
    CHECK(waitpid(open, NULL, WNOHANG) == 0 && waitpid(closed, NULL, WNOHANG) == 0);
    target_end(open);
    target_end(closed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_and_arguments_are_told_apart),
                                       cmocka_unit_test(arithmetic_and_memory),
                                       cmocka_unit_test(a_filter_that_cannot_be_kills),
                                       cmocka_unit_test(filters_of_real_processes_are_tried_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
