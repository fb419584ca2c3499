/* perf_events.h - opens the kernel's events of page faults, for all threads of a process on all processors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/number_map.h"
#include "base/vec.h"
#include "kernel_events/perf_ring.h"

enum perf_role {
    PERF_FAULT = 1,
    PERF_MAP_ENTER, /* system calls: mmap and mremap, as they begin and as they end */
    PERF_MAP_EXIT,
    PERF_MOVE_ENTER,
    PERF_MOVE_EXIT,
    PERF_ROLES
};

struct perf_events {
    VEC(int) fds;
    struct perf_ring *rings; /* one per processor that is on line */
    int *ring_fds;
    unsigned ring_count;
    struct number_map roles; /* by the kernel's number of the event: enum perf_role */
    uint32_t stack_bytes;
    bool sees_kernel, sees_maps;
};

/* 0 or -errno with a sentence.  Begins at once. */
int perf_events_open(struct perf_events *events, uint32_t pid, uint32_t stack_bytes,
                     size_t ring_bytes, struct fault *fault); /* -ENOBUFS: smaller rings may do */
void perf_events_close(struct perf_events *events);
/* Records that found no room so far, as the kernel counts them with each event; 0 where it does not (before 6.0). */
uint64_t perf_events_lost(const struct perf_events *events);
/* Takes one fault in `period` from now on. */
void perf_events_set_period(struct perf_events *events, uint64_t period);
