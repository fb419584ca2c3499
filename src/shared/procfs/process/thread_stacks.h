/* thread_stacks.h - where the threads of a process have their stacks. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

#define THREAD_STACKS_MAX 4096 /* looked at; of more, the first ones */

struct thread_stack {
    uint32_t tid;
    char name[32];
    uint64_t pointer; /* the stack pointer; 0: it runs just now, or we may not look */
};
struct thread_stacks {
    VEC(struct thread_stack) threads;
};

/* 0 or -errno; then the list is empty.  The caller ends it with thread_stacks_fini. */
int thread_stacks_read(uint32_t pid, struct thread_stacks *stacks);
void thread_stacks_fini(struct thread_stacks *stacks);

/* The stack pointer in the text of /proc/PID/task/TID/syscall; 0 when it has none. */
uint64_t thread_stack_parse(const char *text);
