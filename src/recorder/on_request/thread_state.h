/* thread_state.h - what a thread of another process does now, as far as the kernel tells without
 * stopping it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define THREAD_NAME_MOST 16
#define WAIT_NAME_MOST   16
#define CALL_NAME_MOST   24

struct thread_state {
    char name[THREAD_NAME_MOST];
    char letter; /* As in /proc: R runs, S and D wait, T is stopped, t is traced; 0: it is gone. */
    char waits
        /* for what: "lock", "disk", "sleep", "network", "poll", "pipe", "child", "stopped"; ""
         * unknown, or not */
        [WAIT_NAME_MOST];
    char call[CALL_NAME_MOST]; /* The system call that it is in; "": none, or unknown. */
};

/* Never fails: what cannot be read is unknown. */
void thread_state_read(uint32_t pid, uint32_t tid, struct thread_state *state);

/* Renders for people: "runs", "waits: lock, futex", "waits where nothing disturbs it, read". */
void thread_state_render(const struct thread_state *state, char *text, unsigned room);

/* Returns whether the thread is in a call that was interrupted and that the kernel has resumed
 * under a number which does not say which call. */
bool thread_call_is_resumed(const struct thread_state *state);
/* Notes that the thread is in this system call. */
void thread_call_set(struct thread_state *state, long number);

/* Internal, and for tests: reads the call from the text of /proc/PID/task/TID/syscall.  If the
 * first argument is a descriptor, and its type decides what the thread waits for, returns that
 * descriptor; else -1. */
int thread_call_parse(const char *text, struct thread_state *state);
