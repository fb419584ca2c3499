/* agent_samples.h - where threads spend their time, as memoir agent tells it: the records of
 * src/shared/wire/agent.h as they come, for processes, not for the whole machine.
 *
 * An agent that goes away is looked for again every second, and what it was asked for is asked
 * again; what happened meanwhile is missing, and counted.  Not thread-safe, except
 * agent_samples_wait. */
#pragma once

#include "base/fault.h"
#include "cpu/perf_samples.h"
#include "kernel_events/agent_link.h"

struct agent_samples;

struct agent_samples_options {
    const char *socket; /* kept: must live as long */
    uint32_t hz;        /* 0: no samples */
    bool off_cpu, children;
    uint64_t wait_least_ns;
};

struct agent_samples_counts {
    uint64_t lost, waits_lost; /* records; waits of threads too many */
    uint64_t gaps, gap_ns;     /* while there was no agent */
    bool is_gone, sees_kernel;
};

/* NULL with a sentence in `fault`. */
struct agent_samples *agent_samples_open(const struct agent_samples_options *options,
                                         struct fault *fault);
void agent_samples_close(struct agent_samples *samples); /* also NULL */

/* A process from now on.  0 or -errno with a sentence. */
int agent_samples_add(struct agent_samples *samples, uint32_t pid, struct fault *fault);
/* Whoever becomes a program of this name, from its first instruction on: told by AGENT_STARTED,
 * and to be answered by agent_samples_begun with whether it is one that was meant.  `is_once`:
 * the first alone.  `name` must last.  0; -ENOTSUP where nobody can tell; or -errno with a
 * sentence. */
int agent_samples_await(struct agent_samples *samples, const char *name, bool is_once,
                        struct fault *fault);
void agent_samples_begun(struct agent_samples *samples, uint32_t pid, bool is_meant);
/* No longer.  `has_ended`: then nobody needs to be told. */
void agent_samples_forget(struct agent_samples *samples, uint32_t pid, bool has_ended);

/* What we call the process that records call `known_as`: another number in a container; then 0
 * for those that were not asked for, children too, because nobody tells their numbers. */
uint32_t agent_samples_pid(const struct agent_samples *samples, uint32_t known_as);

/* Has the waits told that go on: what is drained next has them. */
void agent_samples_tell_waits(struct agent_samples *samples);
/* Delivers what happened until `until_ns`. */
void agent_samples_drain(struct agent_samples *samples, uint64_t until_ns,
                         const struct perf_sink *sink);

/* Waits until there is something, at most so long.  false when the agent is gone: then
 * agent_samples_mend is due. */
bool agent_samples_wait(const struct agent_samples *samples, int wait_ms);
/* Looks for the agent again, if it is gone and that was not tried just now; and counts what was
 * lost otherwise. */
void agent_samples_mend(struct agent_samples *samples);

struct agent_link *agent_samples_link(const struct agent_samples *samples); /* NULL: it is gone */
struct agent_samples_counts agent_samples_count(const struct agent_samples *samples);
