/* go_numbers.h - what the Go runtime counts about its own memory, read from its global variables
 * without stopping it.
 *
 * The variables are found by the code that reads them, runtime.readmemstats_m, which Go's own
 * table of functions names in stripped binaries too.  The runtime keeps two books that must
 * agree; what is found is believed only when they do.  Go 1.19 and later; the numbers are those
 * of runtime.ReadMemStats, but allocations that a thread has not reported yet (some KiB each)
 * are missing in the live ones. */
#pragma once

#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"
#include "runtimes/program_file.h"

struct go_numbers {
    char version[32]; /* "go1.19.8" */
    uint64_t heap_inuse, heap_released, heap_free;
    uint64_t total_alloc, total_free, mapped_ready;
    uint64_t stacks_sys, mspan_sys, mcache_sys, buckhash_sys, gc_misc_sys, other_sys;
    uint64_t in_stacks, in_workbufs, in_bits; /* in_bits: until 1.24 */
    uint64_t objects;
    uint64_t next_gc, live_after_gc, collections;
    int64_t memory_limit; /* GOMEMLIMIT; -1: none, or unknown */
};

/* 0; -ENOENT when it is no Go program; -ENODATA when the variables were not found; or -errno of
 * reading. */
int go_numbers_read(struct go_numbers *numbers, const struct process_bytes *process,
                    const struct program_file *program);

/* Adds the view of them. */
void go_numbers_show(const struct go_numbers *numbers, struct breakdown *breakdown);
