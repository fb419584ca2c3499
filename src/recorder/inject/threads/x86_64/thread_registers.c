/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/thread_registers.h"

#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#define FLAGS_CLEARED 0x10500ull /* resume, direction, trap */
#define USER_CODE_64  0x33
#define NO_CALL       (~0ull)

bool thread_registers(pid_t tid, struct user_regs_struct *registers)
{
    return ptrace(PTRACE_GETREGS, tid, 0, registers) == 0;
}

bool thread_registers_set(pid_t tid, const struct user_regs_struct *registers)
{
    return ptrace(PTRACE_SETREGS, tid, 0, registers) == 0;
}

bool thread_vectors(pid_t tid, void *bytes, size_t *size)
{
    struct iovec vectors = {bytes, *size};
    if (ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &vectors) < 0)
        return false;
    *size = vectors.iov_len;
    return true;
}

bool thread_vectors_set(pid_t tid, const void *bytes, size_t size)
{
    struct iovec vectors = {(void *)bytes, size};
    return ptrace(PTRACE_SETREGSET, tid, NT_X86_XSTATE, &vectors) == 0;
}

uint64_t registers_ip(const struct user_regs_struct *registers)
{
    return registers->rip;
}

uint64_t registers_sp(const struct user_regs_struct *registers)
{
    return registers->rsp;
}

void registers_numbered(const struct user_regs_struct *registers, uint64_t to[REG_COUNT])
{
    const struct user_regs_struct *at = registers;
    uint64_t const in_order[REG_COUNT] = {at->rax, at->rdx, at->rcx, at->rbx, at->rsi, at->rdi,
                                          at->rbp, at->rsp, at->r8,  at->r9,  at->r10, at->r11,
                                          at->r12, at->r13, at->r14, at->r15, at->rip};
    memcpy(to, in_order, sizeof(in_order));
}

bool registers_are_64(const struct user_regs_struct *registers)
{
    return registers->cs == USER_CODE_64;
}

int64_t registers_call(const struct user_regs_struct *registers)
{
    return (int64_t)registers->orig_rax;
}

void registers_set_call(struct user_regs_struct *registers, int64_t number)
{
    registers->orig_rax = (uint64_t)number;
}

int64_t registers_result(const struct user_regs_struct *registers)
{
    return (int64_t)registers->rax;
}

void registers_set_result(struct user_regs_struct *registers, int64_t result)
{
    registers->rax = (uint64_t)result;
}

void registers_begin_call(struct user_regs_struct *registers, const struct kernel_call *call)
{
    registers->rip = call->call_kernel;
    registers->rsp = call->sp;
    registers->orig_rax = NO_CALL;
    registers->rax = call->number;
    registers->rdi = call->arguments[0];
    registers->rsi = call->arguments[1];
    registers->rdx = call->arguments[2];
    registers->r10 = call->arguments[3];
    registers->r8 = call->arguments[4];
    registers->r9 = call->arguments[5];
    registers->eflags &= ~FLAGS_CLEARED;
}

void registers_begin_errand(struct user_regs_struct *registers, const struct errand_start *errand)
{
    registers->rip = errand->code;
    registers->rsp = errand->sp;
    registers->orig_rax = NO_CALL;
    registers->rbx = errand->steps;
    registers->rbp = errand->count;
    registers->r12 = errand->frame;
    registers->r13 = errand->call_kernel;
    registers->r14 = errand->scratch;
    registers->r15 = errand->size;
    registers->eflags &= ~FLAGS_CLEARED;
}
