/* perf_samples.h - where threads spend their time without BPF: perf events, as records of
 * src/shared/wire/agent.h in order of time.
 *
 * Each sample becomes an AGENT_COPY (registers, and as much of the stack as fits) and an
 * AGENT_SAMPLE that refers to it; each wait an AGENT_COPY when it begins, and an AGENT_WAIT when it
 * ends or perf_samples_tell_waits asks.  Other records: AGENT_NAME, AGENT_EXEC, AGENT_FORK and
 * AGENT_EXIT (of each thread).  Not thread-safe. */
#pragma once

#include "cpu/clock_events.h"
#include "stacks/process_code.h"
#include "wire/agent.h"

struct perf_samples;

/* A thread that was started while it was watched has ended: the time that it used on one
 * processor. */
struct perf_used {
    uint32_t pid, tid;
    uint64_t time_ns;
    uint64_t used_ns;
    uint64_t left_ns; /* Part of it after its last sample there: less than a sample stands for. */
};

/* The functions that get the events. */
struct perf_sink {
    void *context;
    void (*record)(void *context, const struct agent_record *record);
    void (*mapping)(void *context, uint32_t pid, const struct code_mapping *mapping); /* Of code. */
    void (*used)(void *context, const struct perf_used *used);
};

struct perf_samples_options {
    struct clock_options clock;
    uint64_t wait_least_ns; /* Shorter waits have no stack. */
    struct perf_sink sink;
};

struct perf_samples_counts {
    uint64_t lost;       /* Samples, and records of tasks and switches, that found no room. */
    uint64_t waits_lost; /* Stacks of waits. */
    uint64_t throttled;
    uint64_t stops_period; /* Now, one stop of so many has a stack. */
    uint32_t stack_bytes;  /* Copied for a sample. */
    bool sees_kernel, sees_stops, is_wide;
};

/* Returns NULL with a sentence in `fault` on failure. */
struct perf_samples *perf_samples_open(const struct perf_samples_options *options,
                                       struct fault *fault);
void perf_samples_close(struct perf_samples *samples); /* NULL is allowed */

/* Starts to watch a process.  For its threads that already wait, the wait begins now.  Returns 0,
 * or -errno with a sentence. */
int perf_samples_add(struct perf_samples *samples, uint32_t pid, struct fault *fault);
/* Stops watching a process, and the processes that it started. */
void perf_samples_drop(struct perf_samples *samples, uint32_t pid);
/* Delivers nothing more about this process. */
void perf_samples_forget(struct perf_samples *samples, uint32_t pid);

/* Delivers what happened until `until_ns`, which must be a little while ago, because what happened
 * just now may not be written yet.  Returns 0 or -ENOMEM; after that, what was read so far is
 * delivered later. */
#define PERF_SAMPLES_LATE_NS 1000000u
int perf_samples_drain(struct perf_samples *samples, uint64_t until_ns);
/* To be called when the stack of a wait continues above what was copied: more is copied, if there
 * are few enough waits. */
void perf_samples_want_more(struct perf_samples *samples);
/* Delivers the waits that are still going on, up to `until_ns`, which must be that of the last
 * drain.  The rest of each is delivered later. */
void perf_samples_tell_waits(struct perf_samples *samples, uint64_t until_ns);

struct perf_samples_counts perf_samples_count(const struct perf_samples *samples);
/* Waits until a ring fills up, at most `wait_ms`. */
void perf_samples_wait(const struct perf_samples *samples, int wait_ms);
