/* perf_samples.h - where threads spend their time without BPF: perf events, as records of
 * src/shared/wire/agent.h in order of time.
 *
 * Each sample comes as an AGENT_COPY (registers, and the stack as far as it fits) and an
 * AGENT_SAMPLE that refers to it, each wait as an AGENT_COPY when it begins and an AGENT_WAIT
 * when it ends or perf_samples_tell_waits asks.  Also AGENT_NAME, AGENT_EXEC, AGENT_FORK and
 * AGENT_EXIT (of each thread).  Not thread-safe. */
#pragma once

#include "cpu/clock_events.h"
#include "stacks/process_code.h"
#include "wire/agent.h"

struct perf_samples;

/* A thread that was started while it was watched has ended: what it used on one processor. */
struct perf_used {
    uint32_t pid, tid;
    uint64_t time_ns;
    uint64_t used_ns;
    uint64_t left_ns; /* of it, after its last sample there: less than one stands for */
};

/* Who is told. */
struct perf_sink {
    void *context;
    void (*record)(void *context, const struct agent_record *record);
    void (*mapping)(void *context, uint32_t pid, const struct code_mapping *mapping); /* of code */
    void (*used)(void *context, const struct perf_used *used);
};

struct perf_samples_options {
    struct clock_options clock;
    uint64_t wait_least_ns; /* shorter waits have no stack */
    struct perf_sink sink;
};

struct perf_samples_counts {
    uint64_t lost;       /* samples, and records of tasks and switches, that found no room */
    uint64_t waits_lost; /* stacks of waits */
    uint64_t throttled;
    uint64_t stops_period; /* one stop of so many has a stack now */
    uint32_t stack_bytes;  /* copied for a sample */
    bool sees_kernel, sees_stops, is_wide;
};

/* NULL with a sentence in `fault`. */
struct perf_samples *perf_samples_open(const struct perf_samples_options *options,
                                       struct fault *fault);
void perf_samples_close(struct perf_samples *samples); /* NULL is allowed */

/* A process from now on.  Of its threads that wait already, the wait begins now.  0 or -errno
 * with a sentence. */
int perf_samples_add(struct perf_samples *samples, uint32_t pid, struct fault *fault);
/* No longer: of those that it started neither. */
void perf_samples_drop(struct perf_samples *samples, uint32_t pid);
/* Nothing more is told of this one. */
void perf_samples_forget(struct perf_samples *samples, uint32_t pid);

/* Delivers what happened until `until_ns`, a little while ago: what happened just now may not be
 * written yet.  0 or -ENOMEM, with what was read so far delivered later. */
#define PERF_SAMPLES_LATE_NS 1000000u
int perf_samples_drain(struct perf_samples *samples, uint64_t until_ns);
/* The stack of a wait went on above what was copied: more is, if there are few enough of them. */
void perf_samples_want_more(struct perf_samples *samples);
/* The waits that go on, up to `until_ns`, which must be that of the last drain.  They go on
 * being told from there. */
void perf_samples_tell_waits(struct perf_samples *samples, uint64_t until_ns);

struct perf_samples_counts perf_samples_count(const struct perf_samples *samples);
/* Waits until a ring fills up, at most so long. */
void perf_samples_wait(const struct perf_samples *samples, int wait_ms);
