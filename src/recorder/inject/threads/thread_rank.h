/* thread_rank.h - the threads of a process, those first that it disturbs least to stop. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ranked_thread {
    pid_t tid;
    /* 0: waits in a call that is begun again unnoticed, 1: runs, 2: waits in another call */
    int rank;
};

/* 0 with *threads the caller's to free, or -errno.  Those that cannot be stopped now are left
 * out. */
int thread_rank(uint32_t pid, struct ranked_thread **threads, size_t *count);
