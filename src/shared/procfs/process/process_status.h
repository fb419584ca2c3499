/* process_status.h - what /proc/PID/status says about a process or one of its threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct process_status {
    char name[32];  /* the kernel's short name */
    char state;     /* R, S, D, T (stopped), t (traced), Z, X, I; 0 when unknown */
    uint32_t group; /* the process: itself unless it is a thread */
    uint32_t parent;
    uint32_t tracer; /* 0: none */
    uint32_t user;   /* real */
    uint32_t threads;
    uint32_t inner_pid;  /* in its own pid namespace */
    uint32_t namespaces; /* pid namespaces it is in, counted from ours inward: 1 in ours */
    int seccomp;         /* 0 none, 1 strict, 2 filter */
    bool has_memory;     /* false for kernel threads and zombies */
    bool shadow_stack;
    uint64_t pending; /* signals, its own and its process's; bit 0 is signal 1 */
    uint64_t ignored;
};

/* Parses the text of such a file. */
void process_status_parse(const char *text, struct process_status *status);

/* Of a thread; of the process when `thread` is 0.  0 or -errno. */
int process_status_read(uint32_t pid, uint32_t thread, struct process_status *status);

/* The thread of `pid` that calls itself `inner_tid` in its pid namespace; 0 when there is none. */
uint32_t process_find_thread(uint32_t pid, uint32_t inner_tid);

/* Made by the kernel, without a program. */
bool process_is_kernel(uint32_t pid);
