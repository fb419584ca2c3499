/* thread_registers.h - the registers of a stopped thread, which ptrace gives in a structure of the
 * architecture (ARCHITECTURE/thread_registers.c).  Functions that take a TID must be called by the
 * thread of ours that stopped it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "machine/registers.h"

/* Returns false if the thread is gone. */
bool thread_registers(pid_t tid, struct user_regs_struct *registers);
bool thread_registers_set(pid_t tid, const struct user_regs_struct *registers);

/* Reads the rest of its processor state, vectors and floating point, as put_back_frame.h needs it.
 * *size is the room, and then the number of bytes read. */
bool thread_vectors(pid_t tid, void *bytes, size_t *size);
bool thread_vectors_set(pid_t tid, const void *bytes, size_t size);

uint64_t registers_ip(const struct user_regs_struct *registers);
uint64_t registers_sp(const struct user_regs_struct *registers);
/* Copies the registers in the order of unwind tables. */
void registers_numbered(const struct user_regs_struct *registers, uint64_t to[REG_COUNT]);
/* Returns whether the thread runs 64-bit code. */
bool registers_are_64(const struct user_regs_struct *registers);

/* registers_call returns the system call in which the thread was stopped; negative if in none.
 * registers_result returns what that call is about to return. */
int64_t registers_call(const struct user_regs_struct *registers);
void registers_set_call(struct user_regs_struct *registers, int64_t number);
int64_t registers_result(const struct user_regs_struct *registers);
void registers_set_result(struct user_regs_struct *registers, int64_t result);

/* The thread makes a system call next, by the instruction at `call_kernel`, and returns to the
 * address that is stored at `sp`. */
struct kernel_call {
    uint64_t number;
    const uint64_t *arguments; /* Six. */
    uint64_t call_kernel, sp;
};
void registers_begin_call(struct user_regs_struct *registers, const struct kernel_call *call);

/* The thread runs errand_code next, which is at `code`, with its stack below `sp`. */
struct errand_start {
    uint64_t code, sp;
    uint64_t steps, count;       /* Where the steps are, and how many. */
    uint64_t frame, call_kernel; /* How it goes back by itself ... */
    uint64_t scratch, size;      /* ... and which memory it then gives back. */
};
void registers_begin_errand(struct user_regs_struct *registers, const struct errand_start *errand);
