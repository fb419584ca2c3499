/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* registers.bpf.h - x86-64: the registers of a thread as the kernel keeps them. */
#pragma once

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs {
    unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, sp;
};

#pragma clang attribute pop

#define PT_REGS_WORDS 21 /* all of it, as a program on a perf event is given it */

#define REGS_IP(regs) (regs)->ip
#define REGS_SP(regs) (regs)->sp
#define REGS_FP(regs) (regs)->bp
#define REGS_GO(regs) (regs)->r14 /* the goroutine that runs, in a Go program */

/* The system call that the thread is in, negative for none, and its arguments. */
#define REGS_CALL(regs)       (regs)->orig_ax
#define REGS_ARGUMENT_1(regs) (regs)->di
#define REGS_ARGUMENT_2(regs) (regs)->si
#define REGS_ARGUMENT_3(regs) (regs)->dx
#define REGS_ARGUMENT_4(regs) (regs)->r10
#define REGS_ARGUMENT_5(regs) (regs)->r8
#define REGS_ARGUMENT_6(regs) (regs)->r9

#define SYSCALL_MMAP   9
#define SYSCALL_MREMAP 25

#define USER_END 0x800000000000ull /* of the addresses that a program can have */

/* In the order of unwind tables (machine/registers.h). */
static __attribute__((always_inline)) inline void copy_registers(uint64_t *to,
                                                                 const struct pt_regs *regs)
{
    to[0] = regs->ax;
    to[1] = regs->dx;
    to[2] = regs->cx;
    to[3] = regs->bx;
    to[4] = regs->si;
    to[5] = regs->di;
    to[6] = regs->bp;
    to[7] = regs->sp;
    to[8] = regs->r8;
    to[9] = regs->r9;
    to[10] = regs->r10;
    to[11] = regs->r11;
    to[12] = regs->r12;
    to[13] = regs->r13;
    to[14] = regs->r14;
    to[15] = regs->r15;
    to[16] = regs->ip;
}
