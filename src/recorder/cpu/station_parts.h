/* station_parts.h - the inside of a cpu station, shared by its files: cpu_station.c for those
 * who ask, station_records.c for what comes in, station_doubts.c for what is not seen. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "cpu/cpu_process.h"
#include "cpu/cpu_station.h"
#include "cpu/time_source.h"

struct cpu_station {
    struct cpu_station_options options;
    pthread_t thread;
    pthread_mutex_t lock; /* of everything below */
    atomic_bool stop;
    struct time_source *source;
    struct code_store *codes;
    struct time_stacks *stacks;
    VEC(struct cpu_process *) processes;
    struct number_map index; /* place plus one, by number */
    VEC(uint32_t) children;  /* that nobody has asked for yet */
    struct cpu_lane all;     /* with `together` */
    const char *awaited;     /* whose next processes count; NULL: nobody */
    uint64_t ended_cpu_ns;   /* with `together`: of processes that are over */
    uint64_t busy_began_ns;  /* of the whole machine, or the cgroup */
    uint64_t unreadable;     /* processes whose code may not be read */
    uint64_t measured_ns, until_ns;
    bool has_hidden_names; /* of the kernel */
    uint32_t roots;        /* processes that were given one of their own */
    uint64_t refused;      /* processes that there was no room for */
    uint64_t checked_ns;   /* when all were last looked at for their end */
    uint64_t settled_gaps; /* of the agent, when samples were last settled */
};

struct cpu_process *station_find(const struct cpu_station *station, uint32_t pid); /* or NULL */
/* A process from now on, or NULL when out of memory. */
struct cpu_process *station_begin(struct cpu_station *station, uint32_t pid, uint32_t parent);

/* What the lane tells is counted from now on. */
void station_begin_lane(const struct cpu_station *station, struct cpu_lane *lane);

/* Books a record; the others are what perf events tell beside. */
void station_record(void *station, const struct agent_record *record);
void station_mapping(void *station, uint32_t pid, const struct code_mapping *mapping);
void station_used(void *station, const struct perf_used *used);
/* Samples by the agent's clock stand for what the kernel counts, of one process or of all
 * (NULL).  Those by perf events do so already: their clock is the thread's own. */
void station_settle(struct cpu_station *station, struct cpu_process *process);
/* Forgets processes that are over and of no interest to anybody. */
void station_clear_away(struct cpu_station *station);

/* What is not seen, and what to do. */
void station_doubts(const struct cpu_station *station, const struct perf_samples_counts *counts,
                    struct cpu_state *state);
