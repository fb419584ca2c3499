/* thread_registers.h - the registers of a stopped thread, which ptrace gives in a structure of the
 * architecture (ARCHITECTURE/thread_registers.c).  Calls that take a TID must come from the thread
 * of ours that stopped it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "machine/registers.h"

/* false when the thread is gone. */
bool thread_registers(pid_t tid, struct user_regs_struct *registers);
bool thread_registers_set(pid_t tid, const struct user_regs_struct *registers);

/* All else that its processor has: vectors and floating point, as put_back_frame.h needs it.
 * *size is the room, and then what is filled. */
bool thread_vectors(pid_t tid, void *bytes, size_t *size);
bool thread_vectors_set(pid_t tid, const void *bytes, size_t size);

uint64_t registers_ip(const struct user_regs_struct *registers);
uint64_t registers_sp(const struct user_regs_struct *registers);
/* In the order of unwind tables. */
void registers_numbered(const struct user_regs_struct *registers, uint64_t to[REG_COUNT]);
/* Whether it runs 64-bit code. */
bool registers_are_64(const struct user_regs_struct *registers);

/* The system call that the thread was stopped in, as a negative number when it was in none; and
 * what it is about to return. */
int64_t registers_call(const struct user_regs_struct *registers);
void registers_set_call(struct user_regs_struct *registers, int64_t number);
int64_t registers_result(const struct user_regs_struct *registers);
void registers_set_result(struct user_regs_struct *registers, int64_t result);

/* The thread makes a system call next, by the instruction at `call_kernel`, and returns from it
 * by what lies at `sp`. */
struct kernel_call {
    uint64_t number;
    const uint64_t *arguments; /* six */
    uint64_t call_kernel, sp;
};
void registers_begin_call(struct user_regs_struct *registers, const struct kernel_call *call);

/* The thread runs errand_code next, which lies at `code`, with its stack below `sp`. */
struct errand_start {
    uint64_t code, sp;
    uint64_t steps, count;       /* what to do: where that is, and how many */
    uint64_t frame, call_kernel; /* how it goes back by itself, */
    uint64_t scratch, size;      /* and what memory it gives back then */
};
void registers_begin_errand(struct user_regs_struct *registers, const struct errand_start *errand);
