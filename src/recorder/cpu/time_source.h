/* time_source.h - where a station has its records from: memoir agent, or perf events.
 *
 * Not thread-safe, except time_source_wait. */
#pragma once

#include "cpu/agent_samples.h"
#include "cpu/cpu_station.h"
#include "cpu/perf_samples.h"

struct time_source;

/* As the options say: the agent if it is there and can tell what is asked, else perf events.
 * They must live as long.  NULL with a sentence in `fault`. */
struct time_source *time_source_open(const struct cpu_station_options *options,
                                     const struct perf_sink *sink, struct fault *fault);
void time_source_close(struct time_source *source); /* also NULL */

/* A process from now on.  An agent that refuses the first one is left for perf events, unless it
 * was asked for.  0 or -errno with a sentence. */
int time_source_add(struct time_source *source, uint32_t pid, struct fault *fault);
/* As agent_samples_await and agent_samples_begun; -ENOTSUP without an agent. */
int time_source_await(struct time_source *source, const char *name, bool is_once,
                      struct fault *fault);
void time_source_begun(struct time_source *source, uint32_t pid, bool is_meant);
/* No longer, with all that it started. */
void time_source_drop(struct time_source *source, uint32_t pid);
/* Nothing more is told of this one; `has_ended`: it is over. */
void time_source_forget(struct time_source *source, uint32_t pid, bool has_ended);

/* What we call the process of a record. */
uint32_t time_source_pid(const struct time_source *source, const struct agent_record *record);

/* Delivers what happened until `until_ns`. */
void time_source_drain(struct time_source *source, uint64_t until_ns);
/* To be called before the instant up to which all shall be told with the waits that go on, and
 * after time_source_drain up to it. */
void time_source_ask_waits(struct time_source *source);
void time_source_tell_waits(struct time_source *source, uint64_t until_ns);

/* The stack of a wait was cut.  (The agent is told by whoever walks it.) */
void time_source_want_more(struct time_source *source);

/* Waits until there is something to drain, at most so long. */
void time_source_wait(const struct time_source *source, int wait_ms);
/* Now and then, by whoever waits: an agent that is gone is looked for again. */
void time_source_mend(struct time_source *source);

bool time_source_is_agent(const struct time_source *source);
struct agent_link *time_source_link(const struct time_source *source); /* NULL: none */
struct perf_samples_counts time_source_count(const struct time_source *source);
/* Times that the agent was gone, and how long. */
uint64_t time_source_gaps(const struct time_source *source, uint64_t *gap_ns);
