/* cpu_station.h - where processes spend their time, recorded in a thread of its own: samples of
 * threads that run, and the waits of threads that do not.  User and kernel stacks are walked as
 * they come; only addresses are kept.
 *
 * There are two ways to use it.  Each process by itself: cpu_station_watch, and cpu_station_collect
 * with its PID, one recording each.  Or all together (`together`): one recording of everything that
 * is sampled, with each process as an outermost frame.  All functions may be called from one other
 * thread. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "model/recording.h"

struct cpu_station;

enum cpu_source {
    CPU_SOURCE_ANY, /* The agent if there is one, else perf events. */
    CPU_SOURCE_AGENT,
    CPU_SOURCE_PERF /* Perf events: need no agent. */
};

#define CPU_HZ_DEFAULT 99u
#define CPU_HZ_MAX     997u

struct cpu_station_options {
    const char *socket; /* Of the agent. */
    enum cpu_source source;
    uint32_t hz;            /* 0: time on a processor is not sampled. */
    bool off_cpu;           /* Waits, too. */
    uint64_t wait_least_ns; /* Shorter waits are only summed, without their stacks; 0: 1 us. */
    /* Processes that a watched one starts count, too: with `together` in its recording, else as
     * processes that cpu_station_next_child returns. */
    bool children;
    bool together;      /* One recording of all. */
    bool whole_machine; /* With `together`: everything that runs, without idle time. */
    /* With `together`: everything in this folder of the cgroup file system; NULL: none. */
    const char *cgroup;
    bool no_kernel;   /* Frames inside the kernel are not wanted. */
    bool leaves_room; /* Another part of the recorder needs memory that the user may lock, too. */
};

struct cpu_state {
    struct timing timing;
    uint64_t stack_ends[STACK_END_KINDS]; /* Of samples. */
    uint64_t wait_ends[STACK_END_KINDS];  /* Of waits with a record of their own, once each. */
    bool has_ended, has_execed;           /* has_execed: since the last question. */
    bool sees_kernel;                     /* Stacks inside the kernel. */
    bool uses_agent;
    char doubts[8][400]; /* Sentences: what is not seen, why, and what to do; "" after the last. */
};

/* Starts the station.  Returns NULL with `fault` on failure: one sentence about what is not
 * permitted, and the command that permits it. */
struct cpu_station *cpu_station_open(const struct cpu_station_options *options,
                                     struct fault *fault);
void cpu_station_close(struct cpu_station *station); /* NULL is allowed. */

/* Watches all threads of a process, and those that it starts.  `is_new`: it waits for our order and
 * then executes a program.  Returns 0, or -errno with `fault`. */
int cpu_station_watch(struct cpu_station *station, uint32_t pid, bool is_new, struct fault *fault);
/* Watches every process that executes a program of this name, from its first instruction on; unless
 * all are `together`, cpu_station_next_child returns it.  `is_once`: only the first one.  `name`
 * must outlive the station.  Returns 0; -ENOTSUP if the source cannot tell; or -errno with
 * `fault`. */
int cpu_station_await(struct cpu_station *station, const char *name, bool is_once,
                      struct fault *fault);
/* To be called when the recording of the process is gone: a later recording of it gets what happens
 * from now on. */
void cpu_station_leave(struct cpu_station *station, uint32_t pid);

/* Adds what was found since the last call to `bucket`, as cells, thread cells and moments, with
 * their stacks and threads in `recording`, which is the same in each call.  `bucket_begin_ns` is on
 * the monotonic clock.  `pid` 0: of all processes, with `together`.  Returns 0; -ESRCH if `pid` is
 * not watched; or -ENOMEM. */
int cpu_station_collect(struct cpu_station *station, uint32_t pid, struct recording *recording,
                        struct bucket *bucket, uint64_t bucket_begin_ns, struct cpu_state *state);

/* Returns false if `pid` is not watched. */
bool cpu_station_state(struct cpu_station *station, uint32_t pid, struct cpu_state *state);

/* Returns a child of a watched process that is watched, too, and was not returned before; 0 if
 * there is none. */
uint32_t cpu_station_next_child(struct cpu_station *station);
