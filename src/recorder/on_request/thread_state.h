/* thread_state.h - what a thread of another process does now, as the kernel tells without
 * stopping it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define THREAD_NAME_MOST 16
#define WAIT_NAME_MOST   16
#define CALL_NAME_MOST   24

struct thread_state {
    char name[THREAD_NAME_MOST];
    char letter; /* as in /proc: R runs, S and D wait, T is stopped, t is traced; 0: it is gone */
    char waits
        /* for what: "lock", "disk", "sleep", "network", "poll", "pipe", "child", "stopped"; ""
         * unknown, or not */
        [WAIT_NAME_MOST];
    char call[CALL_NAME_MOST]; /* the system call that it is in; "" none, or not known */
};

/* Never fails: what cannot be read is not known. */
void thread_state_read(uint32_t pid, uint32_t tid, struct thread_state *state);

/* "runs", "waits: lock, futex", "waits where nothing disturbs it, read": for people. */
void thread_state_render(const struct thread_state *state, char *text, unsigned room);

/* Whether it is in a call that somebody interrupted and the kernel goes on with, under a number
 * that does not say which. */
bool thread_call_is_resumed(const struct thread_state *state);
/* It is in this system call. */
void thread_call_set(struct thread_state *state, long number);

/* Inside, and for tests: takes what /proc/PID/task/TID/syscall says into `call`.  The number of
 * its first argument if that is a descriptor and it depends on its kind what is waited for; else
 * -1. */
int thread_call_parse(const char *text, struct thread_state *state);
