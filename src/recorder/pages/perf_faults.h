/* perf_faults.h - page faults of a process without BPF: perf events of software, as records of src/shared/wire/agent.h.
 *
 * Each fault comes as an AGENT_COPY (registers, and the stack as far as it fits) and an AGENT_FAULT that refers to it; whether it was
 * a write is not known, so all say they were.  Also AGENT_LARGE, AGENT_EXEC, AGENT_FORK and AGENT_EXIT; and, where the tracepoints of
 * system calls may be used (root), AGENT_RANGE and AGENT_MOVE.  Without those, moved pages are of nobody at the next look.
 *
 * All threads of the process, and those and processes that they start.  Needs perf_event_paranoid <= 2 for one's own processes; above 1 the
 * faults that the kernel takes for system calls are not seen (`sees_kernel`).  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "wire/agent.h"

struct perf_faults_options {
    uint32_t pid;
    uint32_t stack_bytes; /* per fault, a multiple of 8, at most 32768; 0: registers only */
    size_t ring_bytes;    /* per processor, a power of two; 0: 2 MiB */
    uint64_t rate_max; /* faults per second: above it only one in so many is taken; 0: no bound */
};

struct perf_faults_counts {
    uint64_t faults;  /* delivered */
    uint64_t lost;    /* records that found no room */
    uint64_t skipped; /* faults not taken because of `period`, as far as is known */
    uint64_t period;  /* one in so many is taken now */
    bool sees_kernel, sees_maps;
};

/* NULL with a sentence in `fault`.  The process may be gone or be exec'ing meanwhile. */
struct perf_faults *perf_faults_open(const struct perf_faults_options *options,
                                     struct fault *fault);
void perf_faults_close(struct perf_faults *faults); /* NULL is allowed */

typedef void (*perf_record_fn)(void *context, const struct agent_record *record, size_t size);
/* Delivers what has happened until now, in order of time.  0 or -ENOMEM, with what was read so far delivered later. */
int perf_faults_drain(struct perf_faults *faults, perf_record_fn each, void *context);

struct perf_faults_counts perf_faults_count(const struct perf_faults *faults);
/* A descriptor that becomes readable when a ring fills up, for poll; one per processor, -1 past the last. */
int perf_faults_fd(const struct perf_faults *faults, unsigned index);
