/* perf_data_processes.h - the processes and threads of a perf.data, as its records tell of them:
 * what each has mapped, and what it is called. */
#pragma once

#include <stdbool.h>

#include "formats/perf/perf_data_facts.h"
#include "formats/perf/perf_data_sample.h"
#include "stacks/process_code.h"

#define PERF_PROCESSES_MAX (1u << 20)
#define PERF_THREADS_MAX   65536u /* rows; further threads are one */

struct perf_process {
    uint32_t pid;
    string_id name;            /* when it had its first sample */
    struct process_code *code; /* NULL: nothing is mapped, or it has ended long ago */
    stack_id root;             /* its outermost frame; STACK_EMPTY: no sample yet */
    bool has_ended, has_asked; /* the latter: for the list of code that its runtime made */
};

struct perf_thread {
    string_id name;
    uint32_t row; /* of the recording's threads, plus one; 0: no sample yet */
};

struct perf_processes {
    struct recording *recording;
    struct code_store *store;
    const struct perf_facts *facts;
    VEC(struct perf_process) items;
    VEC(stack_id) roots;      /* all that there were: after an exec a process has another one */
    struct number_map by_pid; /* index plus one, by pid plus one */
    VEC(struct perf_thread) threads;
    struct number_map by_thread; /* index plus one, by pid and tid */
    size_t ended;                /* that still have their code */
    uint64_t made_lists;         /* lists of code made at run time that were found here */
    uint64_t unmapped;           /* mappings that found no room */
};

void perf_processes_fini(struct perf_processes *processes);

/* MMAP and MMAP2 of programs, COMM, FORK and EXIT.  `body_size`: without the block at the end.
 * Returns 0 or -ENOMEM. */
int perf_processes_handle(struct perf_processes *processes, const struct perf_record *record,
                          size_t body_size);

/* Returns the process of a sample, with its code and its root.  NULL when out of memory. */
struct perf_process *perf_processes_find(struct perf_processes *processes, uint32_t pid,
                                         uint32_t tid);
/* The row of a thread in the recording.  Returns 0 or -ENOMEM. */
int perf_processes_thread(struct perf_processes *processes, uint32_t pid, uint32_t tid,
                          uint64_t time_ns, uint32_t *row);

/* What MMAP and MMAP2 say. */
struct perf_mapping {
    uint32_t pid;
    uint64_t start, size, offset;
    bool is_code;
    const uint8_t *build_id; /* NULL: not told here */
    size_t build_id_size;
    struct slice path;
};
bool perf_mapping_parse(const struct perf_record *record, size_t body_size,
                        struct perf_mapping *mapping);
