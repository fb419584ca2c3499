/* perf_data_processes.h - the processes and threads of a perf.data from its records: mappings and
 * names. */
#pragma once

#include <stdbool.h>

#include "formats/perf/perf_data_facts.h"
#include "formats/perf/perf_data_sample.h"
#include "stacks/process_code.h"

#define PERF_PROCESSES_MAX (1u << 20)
#define PERF_THREADS_MAX   65536u /* rows; all further threads have one row */

struct perf_process {
    uint32_t pid;
    string_id name;            /* name at its first sample */
    struct process_code *code; /* NULL: nothing is mapped, or the process ended long ago */
    stack_id root;             /* its outermost frame; STACK_EMPTY: no sample yet */
    bool has_ended, has_asked; /* has_asked: searched for the list of code that its runtime made */
};

struct perf_thread {
    string_id name;
    uint32_t row; /* index of the recording's threads plus one; 0: no sample yet */
};

struct perf_processes {
    struct recording *recording;
    struct code_store *store;
    const struct perf_facts *facts;
    VEC(struct perf_process) items;
    VEC(stack_id) roots;      /* all roots; after an exec a process has a new one */
    struct number_map by_pid; /* index plus one, by pid plus one */
    VEC(struct perf_thread) threads;
    struct number_map by_thread; /* index plus one, by pid and tid */
    size_t ended;                /* ended processes that still have their code */
    uint64_t made_lists;         /* number of lists of code made at run time that were found */
    uint64_t unmapped;           /* mappings that were dropped, because there was no room */
};

void perf_processes_fini(struct perf_processes *processes);

/* Handles MMAP and MMAP2 of programs, COMM, FORK and EXIT.  `body_size` does not include the block
 * at the end of the record.  Returns 0 or -ENOMEM. */
int perf_processes_handle(struct perf_processes *processes, const struct perf_record *record,
                          size_t body_size);

/* Returns the process of a sample, with its code and its root.  NULL when out of memory. */
struct perf_process *perf_processes_find(struct perf_processes *processes, uint32_t pid,
                                         uint32_t tid);
/* Finds the row of a thread in the recording.  Returns 0 or -ENOMEM. */
int perf_processes_thread(struct perf_processes *processes, uint32_t pid, uint32_t tid,
                          uint64_t time_ns, uint32_t *row);

/* The contents of MMAP and MMAP2. */
struct perf_mapping {
    uint32_t pid;
    uint64_t start, size, offset;
    bool is_code;
    const uint8_t *build_id; /* NULL: not in this record */
    size_t build_id_size;
    struct slice path;
};
bool perf_mapping_parse(const struct perf_record *record, size_t body_size,
                        struct perf_mapping *mapping);
