/* thread_stacks.h - the stacks of a process's threads. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

#define THREAD_STACKS_MAX 4096 /* Of more threads, only the first ones are read. */

struct thread_stack {
    uint32_t tid;
    char name[32];
    uint64_t pointer; /* The stack pointer; 0: the thread runs just now, or may not be looked at. */
};
struct thread_stacks {
    VEC(struct thread_stack) threads;
};

/* Returns 0; or -errno with an empty list.  End the list with thread_stacks_fini. */
int thread_stacks_read(uint32_t pid, struct thread_stacks *stacks);
void thread_stacks_fini(struct thread_stacks *stacks);

/* Returns the stack pointer in the text of /proc/PID/task/TID/syscall; 0 if it has none. */
uint64_t thread_stack_parse(const char *text);
