/* cpu_subject_run.h - runs a subject whose time is known with a station that watches it, and
 * tells what was found where. */
#pragma once

#include <sys/types.h>

#include "cpu/cpu_station.h"
#include "symbols/lookup/resolver.h"

struct cpu_run {
    struct cpu_station *station; /* NULL: not permitted, `fault` says so */
    struct fault fault;
    pid_t pid;
    bool is_together;
    int orders, answers;
    struct recording *recording;
    struct resolver *resolver;
    struct bucket bucket;
    struct cpu_state state;
    uint64_t began_ns;
    char told[4096]; /* what the subject said */
};

/* Starts it, opens a station and watches it, through the agent at $MEMOIR_AGENT if that is set;
 * it has not begun to work yet.  `arguments` ends with NULL; its first is the subject's name. */
void cpu_run_begin(struct cpu_run *run, const struct cpu_station_options *options,
                   const char *const *arguments);
/* Lets it work until it is done, takes what was found (`every_ms` not 0: several times, into one
 * bucket) and lets it end. */
void cpu_run_work(struct cpu_run *run, unsigned every_ms);
void cpu_run_end(struct cpu_run *run);

/* The number that the subject told after a word; 0 when it did not. */
uint64_t cpu_run_told(const struct cpu_run *run, const char *word);

/* Whether a stack holds a frame of that name. */
bool cpu_run_has_frame(const struct cpu_run *run, stack_id stack, const char *function);
/* Everything, for people. */
void cpu_run_print(const struct cpu_run *run);
/* Sum of a column over stacks that hold a frame of the subject's function, or one that has this
 * name; NULL: all. */
int64_t cpu_run_sum(const struct cpu_run *run, enum column column, const char *function);
/* ... and a second one. */
int64_t cpu_run_sum_of_both(const struct cpu_run *run, enum column column, const char *function,
                            const char *other);
