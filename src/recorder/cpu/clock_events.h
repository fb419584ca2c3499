/* clock_events.h - opens the kernel's events of processor time: a clock that ticks while a
 * thread runs, with its registers, its stack and the kernel's own calls; who is started, ends,
 * and is called what; when threads stop and go on running; and with which stack they stopped.
 *
 * By cpu-clock, never by the processor's cycles: in a system call the kernel tells all the
 * registers that a walk needs only to a clock, not to the processor's own interrupt; and a clock is
 * the same on every machine.  Either all threads of processes that are added, or all
 * that runs (`is_wide`), or a cgroup.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "base/number_map.h"
#include "base/vec.h"
#include "kernel_events/perf_ring.h"

enum clock_role {
    CLOCK_TICKS = 1, /* also tells of tasks and of switches */
    CLOCK_STOPS      /* a sample where a thread stops running */
};

struct clock_options {
    uint32_t hz; /* 0: no ticks */
    bool off_cpu;
    bool children; /* processes that are started, not only threads */
    bool whole_machine;
    const char *cgroup; /* a folder; NULL: none */
    bool no_kernel;
    bool leaves_room; /* take half of what this user may lock, and no more */
};

struct clock_fd {
    int fd;
    uint32_t pid; /* that was added; 0: none */
    enum clock_role role;
};

struct clock_events {
    struct clock_options options;
    VEC(struct clock_fd) fds;
    struct perf_ring *rings; /* one per processor */
    int *ring_fds;           /* to wait for them; -1: the processor is off */
    unsigned ring_count;
    struct number_map roles;         /* by the kernel's number of the event: enum clock_role */
    uint32_t tick_stack, stop_stack; /* bytes */
    uint64_t stop_period;            /* one of so many stops has a stack; 0: each */
    bool sees_kernel;
    bool sees_stops;            /* waits have stacks */
    bool is_wide;               /* of all that runs, whoever was added */
    uint64_t lost_before[3];    /* by role: of events that are closed */
    VEC(uint64_t) closed_stops; /* numbers of those that were closed last */
};

static inline enum clock_role clock_role_of(uint32_t known)
{
    return (enum clock_role)(known & 3);
}
static inline uint32_t clock_processor_of(uint32_t known)
{
    return known >> 2;
}

/* Whether the kernel lets us see all of a cgroup by its folder: it is one of cgroup v2, or of
 * the perf_event hierarchy, and the rights are there. */
bool clock_events_can_see(const char *cgroup);

/* Makes the rings, and begins with all that runs if that is wanted.  0 or -errno with a
 * sentence. */
int clock_events_init(struct clock_events *events, const struct clock_options *options,
                      struct fault *fault);
void clock_events_fini(struct clock_events *events);

/* Begins with a process.  0 or -errno with a sentence. */
int clock_events_add(struct clock_events *events, uint32_t pid, struct fault *fault);
void clock_events_drop(struct clock_events *events, uint32_t pid);

/* How many records of a role found no room, by the kernel's own count; 0 where it does not tell
 * (before Linux 6.0). */
uint64_t clock_events_lost(const struct clock_events *events, enum clock_role role);
/* Only one of `period` stops has a stack from now on, of which so much is copied, of all threads
 * of `processes` (keys; all that are watched). */
void clock_events_change_stops(struct clock_events *events, uint64_t period, uint32_t stack_bytes,
                               const struct number_map *processes);
/* How much may be copied of each when there are `rate` a second. */
uint32_t clock_events_stop_stack(const struct clock_events *events, uint64_t rate);
