/* perf_threads.h - visits the threads of a process until there are no new ones. */
#pragma once

#include <stdint.h>

#define PERF_THREADS_MAX 65536u

/* Calls `open` once for each thread, up to PERF_THREADS_MAX.  `open` is expected to cover also the
 * threads that this thread starts later; threads that other threads start meanwhile are found by
 * another pass over the list, of which there are eight at most.  A thread that ended (`open`
 * returns -ESRCH) is skipped.  0, or the first other error; -ESRCH if there is no such process. */
int perf_threads_open(uint32_t pid, int (*open)(void *context, uint32_t tid), void *context);
