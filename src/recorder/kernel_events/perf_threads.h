/* perf_threads.h - the threads of a process, until there are no new ones. */
#pragma once

#include <stdint.h>

#define PERF_THREADS_MAX 65536u

/* Calls `open` once for each thread.  Threads that are started by one that is opened already are expected to be covered; those that
 * another started meanwhile come in the next pass.  A thread that ended (-ESRCH) is none.  0, or the first other error;
 * -ESRCH when there is no such process. */
int perf_threads_open(uint32_t pid, int (*open)(void *context, uint32_t tid), void *context);
