/* perf_faults.h - page faults of a process without BPF: perf software events, translated to records
 * of src/shared/wire/agent.h.
 *
 * Each fault becomes an AGENT_COPY (registers and as much of the stack as fits) and an AGENT_FAULT
 * that refers to it.  Perf events do not say whether a fault was a write, so all faults have
 * AGENT_WRITE.  Other records: AGENT_LARGE, AGENT_EXEC, AGENT_FORK and AGENT_EXIT; and, where the
 * tracepoints of system calls may be used (root), AGENT_RANGE and AGENT_MOVE.  Without the latter
 * two, pages that were moved have no owner at the next look.
 *
 * Covers all threads of the process, and threads and processes that they start.  Needs
 * perf_event_paranoid <= 2 for the user's own processes; above 1, faults in system calls are not
 * seen (`sees_kernel`).  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "wire/agent.h"

struct perf_faults_options {
    uint32_t pid;
    uint32_t stack_bytes; /* Per fault, a multiple of 8, at most 32768; 0: registers only. */
    size_t ring_bytes;    /* Per processor, a power of two; 0: 2 MiB. */
    /* Faults per second; above this rate only one in `period` faults is recorded; 0: no limit. */
    uint64_t rate_max;
};

struct perf_faults_counts {
    uint64_t faults;  /* Faults that were delivered. */
    uint64_t lost;    /* Records that were lost because a ring was full. */
    uint64_t skipped; /* Faults that were not recorded because of `period`; an estimate. */
    uint64_t period;  /* One in `period` faults is recorded now. */
    bool sees_kernel, sees_maps;
};

/* Returns NULL with a sentence in `fault` on failure.  The process may end or exec meanwhile. */
struct perf_faults *perf_faults_open(const struct perf_faults_options *options,
                                     struct fault *fault);
void perf_faults_close(struct perf_faults *faults); /* NULL is allowed. */

typedef void (*perf_record_fn)(void *context, const struct agent_record *record, size_t size);
/* Delivers all events up to now, in order of time.  Returns 0 or -ENOMEM; after -ENOMEM, events
 * that were read and not delivered are delivered later. */
int perf_faults_drain(struct perf_faults *faults, perf_record_fn each, void *context);

struct perf_faults_counts perf_faults_count(const struct perf_faults *faults);
/* Descriptor for poll that becomes readable when a ring fills up.  One per processor; -1 when
 * `index` is past the last processor. */
int perf_faults_fd(const struct perf_faults *faults, unsigned index);
