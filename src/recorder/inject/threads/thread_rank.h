/* thread_rank.h - the threads of a process, ordered by how little a stop disturbs them. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ranked_thread {
    pid_t tid;
    /* 0: waits in a call that can be restarted unnoticed; 1: runs; 2: waits in another call. */
    int rank;
};

/* Returns 0 with *threads the caller's to free, or -errno.  Leaves out threads that cannot be
 * stopped now. */
int thread_rank(uint32_t pid, struct ranked_thread **threads, size_t *count);
