/* station_parts.h - the inside of a cpu station, shared by its files: cpu_station.c has the public
 * functions, station_records.c books records, station_doubts.c tells what is not seen. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "cpu/cpu_process.h"
#include "cpu/cpu_station.h"
#include "cpu/time_source.h"

struct cpu_station {
    struct cpu_station_options options;
    pthread_t thread;
    pthread_mutex_t lock; /* Protects everything below. */
    atomic_bool stop;
    struct time_source *source;
    struct code_store *codes;
    struct time_stacks *stacks;
    VEC(struct cpu_process *) processes;
    struct number_map index; /* Index plus one, by PID. */
    VEC(uint32_t) children;  /* That cpu_station_next_child has not returned yet. */
    struct cpu_lane all;     /* With `together`. */
    const char *awaited;     /* Program name whose next processes count; NULL: none. */
    uint64_t ended_cpu_ns;   /* With `together`: of processes that have ended. */
    uint64_t busy_began_ns;  /* Of the whole machine, or the cgroup. */
    uint64_t unreadable;     /* Number of processes whose code may not be read. */
    uint64_t measured_ns, until_ns;
    bool has_hidden_names;       /* Of the kernel. */
    uint64_t in_kernel, unnamed; /* Samples; few have no name where others load programs into it. */
    uint32_t roots;              /* Number of processes that got a root frame of their own. */
    uint64_t refused;            /* Number of processes for which there was no room. */
    uint64_t checked_ns;         /* When all processes were last checked for their end. */
    uint64_t settled_gaps;       /* Gaps of the agent, when samples were last settled. */
};

/* May return NULL. */
struct cpu_process *station_find(const struct cpu_station *station, uint32_t pid);
/* Adds a process.  Returns NULL when out of memory. */
struct cpu_process *station_begin(struct cpu_station *station, uint32_t pid, uint32_t parent);

/* Begins to count for a lane. */
void station_begin_lane(const struct cpu_station *station, struct cpu_lane *lane);

/* station_record books a record; the other two book what perf events report besides. */
void station_record(void *station, const struct agent_record *record);
void station_mapping(void *station, uint32_t pid, const struct code_mapping *mapping);
void station_used(void *station, const struct perf_used *used);
/* Makes samples by the agent's clock stand for what the kernel counts, of one process or of all
 * (NULL).  Samples by perf events already do: their clock is the thread's own. */
void station_settle(struct cpu_station *station, struct cpu_process *process);
/* Forgets processes that have ended and that no caller needs. */
void station_clear_away(struct cpu_station *station);

/* Tells what is not seen, and what to do. */
void station_doubts(const struct cpu_station *station, const struct perf_samples_counts *counts,
                    struct cpu_state *state);
