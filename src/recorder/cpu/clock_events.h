/* clock_events.h - opens the kernel's events of CPU time: a clock that ticks while a thread runs,
 * with the thread's registers, its stack and the kernel's own calls; which threads start, end and
 * change their name; when threads stop and go on running; and with which stack they stopped.
 *
 * Uses cpu-clock, never the processor's cycles: in a system call, the kernel gives all the
 * registers that a walk needs only to a clock, not to the processor's own interrupt; and a clock is
 * the same on every machine.  Watches either all threads of processes that are added, or all that
 * runs (`is_wide`), or a cgroup.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "base/number_map.h"
#include "base/vec.h"
#include "kernel_events/perf_ring.h"

enum clock_role {
    CLOCK_TICKS = 1, /* Also reports tasks and switches. */
    CLOCK_STOPS      /* A sample where a thread stops running. */
};

struct clock_options {
    uint32_t hz; /* 0: no ticks. */
    bool off_cpu;
    bool children; /* Processes that are started, not only threads. */
    bool whole_machine;
    const char *cgroup; /* A folder; NULL: none. */
    bool no_kernel;
    bool leaves_room; /* Take half of the memory that this user may lock, and no more. */
};

struct clock_fd {
    int fd;
    uint32_t pid; /* The process that was added; 0: none. */
    enum clock_role role;
};

struct clock_events {
    struct clock_options options;
    VEC(struct clock_fd) fds;
    struct perf_ring *rings; /* One per processor. */
    int *ring_fds;           /* To wait for them; -1: the processor is off. */
    unsigned ring_count;
    struct number_map roles;         /* By the kernel's ID of the event: enum clock_role. */
    uint32_t tick_stack, stop_stack; /* Bytes. */
    uint64_t stop_period;            /* One of so many stops has a stack; 0: each. */
    bool sees_kernel;
    bool sees_stops;            /* Waits have stacks. */
    bool is_wide;               /* Watches all that runs, whichever process was added. */
    uint64_t lost_before[3];    /* By role: of events that are closed. */
    VEC(uint64_t) closed_stops; /* IDs of the events that were closed last. */
};

static inline enum clock_role clock_role_of(uint32_t known)
{
    return (enum clock_role)(known & 3);
}
static inline uint32_t clock_processor_of(uint32_t known)
{
    return known >> 2;
}

/* Returns whether the kernel lets us watch a whole cgroup by its folder: it is in cgroup v2 or in
 * the perf_event hierarchy, and the rights are there. */
bool clock_events_can_see(const char *cgroup);

/* Makes the rings, and starts to watch all that runs if wanted.  Returns 0, or -errno with a
 * sentence. */
int clock_events_init(struct clock_events *events, const struct clock_options *options,
                      struct fault *fault);
void clock_events_fini(struct clock_events *events);

/* Starts to watch a process.  Returns 0, or -errno with a sentence. */
int clock_events_add(struct clock_events *events, uint32_t pid, struct fault *fault);
void clock_events_drop(struct clock_events *events, uint32_t pid);

/* Returns how many records of a role found no room, by the kernel's own count; 0 if it does not
 * tell (before Linux 6.0). */
uint64_t clock_events_lost(const struct clock_events *events, enum clock_role role);
/* From now on, only one of `period` stops has a stack, of which `stack_bytes` are copied; for all
 * threads of `processes` (keys; all that are watched). */
void clock_events_change_stops(struct clock_events *events, uint64_t period, uint32_t stack_bytes,
                               const struct number_map *processes);
/* Returns how much may be copied of each stack if there are `rate` stops a second. */
uint32_t clock_events_stop_stack(const struct clock_events *events, uint64_t rate);
