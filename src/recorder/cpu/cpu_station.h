/* cpu_station.h - where the time of processes goes, in a thread of its own: samples of threads
 * that run, and the waits of those that do not; user and kernel stacks walked while they come,
 * of which only addresses are kept.
 *
 * Two kinds of use.  Each process by itself: cpu_station_watch and cpu_station_collect with its
 * number, one recording each. Or all together (`together`): one recording of everything that is
 * sampled, each process an outermost frame of its own. All functions may be called from one
 * other thread. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "model/recording.h"

struct cpu_station;

enum cpu_source {
    CPU_SOURCE_ANY, /* the agent if there is one */
    CPU_SOURCE_AGENT,
    CPU_SOURCE_PERF /* perf events: needs nobody */
};

#define CPU_HZ_DEFAULT 99u
#define CPU_HZ_MAX     997u

struct cpu_station_options {
    const char *socket; /* of the agent */
    enum cpu_source source;
    uint32_t hz;            /* 0: time on a processor is not sampled */
    bool off_cpu;           /* waits too */
    uint64_t wait_least_ns; /* shorter waits are only summed, without their stacks; 0: 1 us */
    /* processes that a watched one starts count, too: with `together` in its recording,
     * otherwise as processes that cpu_station_next_child tells */
    bool children;
    bool together;      /* one recording of all */
    bool whole_machine; /* with `together`: everything that runs, without idling */
    /* with `together`: everything in this folder of the cgroup file system; NULL: none */
    const char *cgroup;
    bool no_kernel;   /* frames inside the kernel are not wanted */
    bool leaves_room; /* somebody else here needs memory that the user may lock, too */
};

struct cpu_state {
    struct timing timing;
    uint64_t stack_ends[STACK_END_KINDS]; /* of samples */
    uint64_t wait_ends[STACK_END_KINDS];  /* of waits that are told one by one, once each */
    bool has_ended, has_execed;           /* the latter since it was last asked */
    bool sees_kernel;                     /* stacks inside the kernel */
    bool uses_agent;
    char doubts[8][400]; /* sentences: what is not seen, why, and what to do; "" past the last */
};

/* Begins.  NULL with `fault`: one sentence what is not permitted and the command that permits
 * it. */
struct cpu_station *cpu_station_open(const struct cpu_station_options *options,
                                     struct fault *fault);
void cpu_station_close(struct cpu_station *station); /* also NULL */

/* All threads of a process, and those that it starts.  `is_new`: it waits for our word and then
 * execs.  0 or -errno with `fault`. */
int cpu_station_watch(struct cpu_station *station, uint32_t pid, bool is_new, struct fault *fault);
/* The same for whoever becomes a program of this name, from its first instruction on;
 * cpu_station_next_child tells of it unless all are `together`.  `is_once`: the first alone.
 * `name` must last.  0; -ENOTSUP where nobody can tell; or -errno with `fault`. */
int cpu_station_await(struct cpu_station *station, const char *name, bool is_once,
                      struct fault *fault);
/* The recording that its time went to is gone: if there is another one, it is told what comes
 * from now on. */
void cpu_station_leave(struct cpu_station *station, uint32_t pid);

/* What was found since the last time, as cells, thread cells and moments of `bucket`, whose
 * stacks and threads are put into `recording`, the same one each time; `bucket_begin_ns` and
 * `bucket_end_ns` are on the monotonic clock.  `pid` 0: of all, with `together`. 0; -ESRCH when
 * it is not watched; -ENOMEM. */
int cpu_station_collect(struct cpu_station *station, uint32_t pid, struct recording *recording,
                        struct bucket *bucket, uint64_t bucket_begin_ns, struct cpu_state *state);

/* false when `pid` is not watched. */
bool cpu_station_state(struct cpu_station *station, uint32_t pid, struct cpu_state *state);

/* A child of a watched process that is watched too, and of which nobody was told yet; 0: none. */
uint32_t cpu_station_next_child(struct cpu_station *station);
