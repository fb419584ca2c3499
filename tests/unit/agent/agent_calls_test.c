/* Which system calls the agent may make once it serves. */
#include "agent/agent_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "check.h"
#include "machine/executables.h"
#include "wire/seccomp_filter.h"

static uint32_t asked(uint32_t machine, int call, uint64_t first, uint64_t second, uint64_t third)
{
    size_t count;
    struct seccomp_data data = {.nr = call, .arch = machine, .args = {first, second, third}};
    const struct sock_filter *filter = agent_call_filter(&count);
    return seccomp_filter_run(filter, count, &data);
}

static bool may(int call, uint64_t first, uint64_t second, uint64_t third)
{
    uint32_t const result = asked(MACHINE_AUDIT, call, first, second, third);
    assert_true(result == SECCOMP_RET_ALLOW || result == (SECCOMP_RET_ERRNO | EPERM));
    return result == SECCOMP_RET_ALLOW;
}

TEST(what_it_needs)
{
    assert_true(may(SYS_recvmsg, 5, 0, 0));
    assert_true(may(SYS_bpf, BPF_MAP_LOOKUP_ELEM, 0, 0));
    assert_true(may(SYS_bpf, BPF_LINK_CREATE, 0, 0));
    assert_true(may(SYS_openat, (uint64_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC));
    assert_true(may(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE));
    assert_true(may(SYS_exit_group, 0, 0, 0));
}

TEST(no_new_programs)
{
    assert_false(may(SYS_bpf, BPF_PROG_LOAD, 0, 0));
    assert_false(may(SYS_bpf, BPF_MAP_GET_FD_BY_ID, 0, 0));
    assert_false(may(SYS_bpf, BPF_OBJ_PIN, 0, 0));
    assert_false(may(SYS_bpf, BPF_BTF_LOAD, 0, 0));
    assert_false(may(SYS_execve, 0, 0, 0));
    assert_false(may(SYS_execveat, 0, 0, 0));
    assert_false(may(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC));
    assert_false(may(SYS_mprotect, 0, 4096, PROT_EXEC));
}

TEST(nobody_else)
{
    assert_false(may(SYS_socket, 0, 0, 0));
    assert_false(may(SYS_connect, 0, 0, 0));
    assert_false(may(SYS_kill, 1, 9, 0));
    assert_false(may(SYS_process_vm_readv, 1, 0, 0));
    assert_false(may(SYS_setuid, 0, 0, 0));
    assert_false(may(SYS_mount, 0, 0, 0));
    assert_false(may(SYS_write, 3, 0, 0));
    assert_true(may(SYS_write, 2, 0, 0));
}

TEST(no_file_is_written_to)
{
    static const int flags[] = {O_WRONLY, O_RDWR, O_CREAT, O_RDONLY | O_TRUNC, O_WRONLY | O_APPEND};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        assert_false(may(SYS_openat, (uint64_t)AT_FDCWD, 0, (uint64_t)flags[i]));
    assert_false(may(SYS_ioctl, 3, 0x5401, 0));
}

TEST(another_machines_calls)
{
    assert_int_equal(asked(AUDIT_ARCH_I386, SYS_recvmsg, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_needs),
        cmocka_unit_test(no_new_programs),
        cmocka_unit_test(nobody_else),
        cmocka_unit_test(no_file_is_written_to),
        cmocka_unit_test(another_machines_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
