/* perf_events.h - opens perf events for page faults, for all threads of a process on all
 * processors. */
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
    PERF_MAP_ENTER, /* Tracepoints: begin and end of the system calls mmap and mremap. */
    PERF_MAP_EXIT,
    PERF_MOVE_ENTER,
    PERF_MOVE_EXIT,
    PERF_ROLES
};

struct perf_events {
    VEC(int) fds;            /* All events. */
    struct perf_ring *rings; /* One per configured processor; used if the processor is online. */
    int *ring_fds;           /* Event that owns each ring; -1: none, the processor is offline. */
    unsigned ring_count;
    struct number_map roles; /* Kernel's ID of the event -> enum perf_role. */
    uint32_t stack_bytes;
    /* Faults that happen in system calls are seen; mmap and mremap are seen. */
    bool sees_kernel, sees_maps;
};

/* Opens and starts the events.  Returns 0 or -errno with a sentence in `fault`; -ENOBUFS means that
 * smaller rings may work. */
int perf_events_open(struct perf_events *events, uint32_t pid, uint32_t stack_bytes,
                     size_t ring_bytes, struct fault *fault);
void perf_events_close(struct perf_events *events);
/* Number of records lost so far because a ring was full, by the kernel's counter of each event; 0
 * where the kernel has no such counter (before 6.0). */
uint64_t perf_events_lost(const struct perf_events *events);
/* Records one in `period` faults from now on. */
void perf_events_set_period(struct perf_events *events, uint64_t period);
