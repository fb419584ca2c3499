/* process_status.h - what /proc/PID/status says about a process or one of its threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct process_status {
    char name[32];  /* The kernel's short name. */
    char state;     /* R, S, D, T (stopped), t (traced), Z, X, I; 0: unknown. */
    uint32_t group; /* PID of the process; for a process, its own. */
    uint32_t parent;
    uint32_t tracer; /* 0: none. */
    uint32_t user;   /* Real user ID. */
    uint32_t threads;
    uint32_t inner_pid; /* PID or TID in its own PID namespace. */
    /* Number of PID namespaces that it is in, from ours inward: 1 if it is in ours. */
    uint32_t namespaces;
    int seccomp;     /* 0: none, 1: strict, 2: filter. */
    bool has_memory; /* False for kernel threads and zombies. */
    bool shadow_stack;
    uint64_t pending; /* Signals of the thread and of its process; bit 0 is signal 1. */
    uint64_t ignored;
};

/* Parses the text of /proc/PID/status. */
void process_status_parse(const char *text, struct process_status *status);

/* Reads the status of a thread, or of the process if `thread` is 0.  Returns 0 or -errno. */
int process_status_read(uint32_t pid, uint32_t thread, struct process_status *status);

/* Returns the thread of `pid` that has the TID `inner_tid` in its PID namespace; 0 if there is
 * none. */
uint32_t process_find_thread(uint32_t pid, uint32_t inner_tid);

/* Returns whether this is a kernel thread, made by the kernel without a program. */
bool process_is_kernel(uint32_t pid);
