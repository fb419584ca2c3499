/* agent_samples.h - where threads spend their time, from memoir-agent: the records of
 * src/shared/wire/agent.h as they come, for processes, not for the whole machine.
 *
 * If the agent goes away, it is looked for again every second, and all requests are repeated; what
 * happened meanwhile is missing, and counted.  Not thread-safe, except agent_samples_wait. */
#pragma once

#include "base/fault.h"
#include "cpu/perf_samples.h"
#include "kernel_events/agent_link.h"

struct agent_samples;

struct agent_samples_options {
    const char *socket; /* Borrowed: must live as long. */
    uint32_t hz;        /* 0: no samples. */
    bool off_cpu, children;
    uint64_t wait_least_ns;
};

struct agent_samples_counts {
    uint64_t lost, waits_lost; /* Records; waits of threads beyond the limit. */
    uint64_t gaps, gap_ns;     /* Times that there was no agent, and how long. */
    bool is_gone, sees_kernel;
};

/* Returns NULL with a sentence in `fault` on failure. */
struct agent_samples *agent_samples_open(const struct agent_samples_options *options,
                                         struct fault *fault);
void agent_samples_close(struct agent_samples *samples); /* NULL is allowed. */

/* Starts to watch a process.  Returns 0, or -errno with a sentence. */
int agent_samples_add(struct agent_samples *samples, uint32_t pid, struct fault *fault);
/* Starts to watch every process that executes a program of this name, from its first instruction
 * on: AGENT_STARTED tells of it, and the caller must answer with agent_samples_begun, whether it is
 * one that was meant.  `is_once`: only the first such process.  `name` must outlive the samples.
 * Returns 0; -ENOTSUP if the agent cannot tell; or -errno with a sentence. */
int agent_samples_await(struct agent_samples *samples, const char *name, bool is_once,
                        struct fault *fault);
void agent_samples_begun(struct agent_samples *samples, uint32_t pid, bool is_meant);
/* Stops watching a process.  `has_ended`: the agent need not be told. */
void agent_samples_forget(struct agent_samples *samples, uint32_t pid, bool has_ended);

/* Returns our PID of the process that records call `known_as`; in a container the two differ, and
 * this is 0 for processes that were not asked for, children too, because nobody tells their
 * PIDs. */
uint32_t agent_samples_pid(const struct agent_samples *samples, uint32_t known_as);

/* Asks for the waits that are still going on: the next drain delivers them. */
void agent_samples_tell_waits(struct agent_samples *samples);
/* Delivers what happened until `until_ns`. */
void agent_samples_drain(struct agent_samples *samples, uint64_t until_ns,
                         const struct perf_sink *sink);

/* Waits until there is a record, at most `wait_ms`.  Returns false if the agent is gone: then call
 * agent_samples_mend. */
bool agent_samples_wait(const struct agent_samples *samples, int wait_ms);
/* If the agent is gone, looks for it again, unless that was tried just now; else counts what was
 * lost. */
void agent_samples_mend(struct agent_samples *samples);

struct agent_link *agent_samples_link(const struct agent_samples *samples); /* NULL: it is gone. */
struct agent_samples_counts agent_samples_count(const struct agent_samples *samples);
