/* time_source.h - where a station gets its records: memoir-agent, or perf events.
 *
 * Not thread-safe, except time_source_wait. */
#pragma once

#include "cpu/agent_samples.h"
#include "cpu/cpu_station.h"
#include "cpu/perf_samples.h"

struct time_source;

/* Opens what the options say: the agent if it is there and can tell what is asked, else perf
 * events.  `options` and `sink` must outlive the source.  Returns NULL with a sentence in `fault`
 * on failure. */
struct time_source *time_source_open(const struct cpu_station_options *options,
                                     const struct perf_sink *sink, struct fault *fault);
void time_source_close(struct time_source *source); /* NULL is allowed. */

/* Starts to watch a process.  If the agent refuses the first process, perf events are used instead,
 * unless the options demand the agent.  Returns 0, or -errno with a sentence. */
int time_source_add(struct time_source *source, uint32_t pid, struct fault *fault);
/* Like agent_samples_await and agent_samples_begun; -ENOTSUP without an agent. */
int time_source_await(struct time_source *source, const char *name, bool is_once,
                      struct fault *fault);
void time_source_begun(struct time_source *source, uint32_t pid, bool is_meant);
/* Stops watching a process, and all that it started. */
void time_source_drop(struct time_source *source, uint32_t pid);
/* Delivers nothing more about this process; `has_ended`: it has ended. */
void time_source_forget(struct time_source *source, uint32_t pid, bool has_ended);

/* Returns our PID of the process of a record. */
uint32_t time_source_pid(const struct time_source *source, const struct agent_record *record);

/* Delivers what happened until `until_ns`. */
void time_source_drain(struct time_source *source, uint64_t until_ns);
/* To get all waits that are still going on at an instant: time_source_ask_waits is called before
 * that instant, time_source_tell_waits after time_source_drain up to it. */
void time_source_ask_waits(struct time_source *source);
void time_source_tell_waits(struct time_source *source, uint64_t until_ns);

/* To be called when the copied stack of a wait was too short.  (The agent is told by the code that
 * walks it.) */
void time_source_want_more(struct time_source *source);

/* Waits until there is something to drain, at most `wait_ms`. */
void time_source_wait(const struct time_source *source, int wait_ms);
/* To be called now and then by the waiting thread: looks for an agent that is gone. */
void time_source_mend(struct time_source *source);

bool time_source_is_agent(const struct time_source *source);
struct agent_link *time_source_link(const struct time_source *source); /* NULL: none. */
struct perf_samples_counts time_source_count(const struct time_source *source);
/* Returns how often the agent was gone, and for how long. */
uint64_t time_source_gaps(const struct time_source *source, uint64_t *gap_ns);
