/* go_numbers.h - what the Go runtime counts about its own memory, read from its global variables
 * without stopping the program.
 *
 * The variables are found through the code that reads them, runtime.readmemstats_m; Go's own table
 * of functions names that code, also in stripped binaries.  The runtime has two counts that must
 * agree, and the numbers are used only if they do.  Works for Go 1.19 and later.  The numbers are
 * those of runtime.ReadMemStats, except that the live numbers lack allocations that a thread has
 * not reported yet (some KiB per thread). */
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

/* Returns 0; -ENOENT if this is no Go program; -ENODATA if the variables were not found; or -errno
 * of reading. */
int go_numbers_read(struct go_numbers *numbers, const struct process_bytes *process,
                    const struct program_file *program);

/* Adds a view with the numbers to the breakdown. */
void go_numbers_show(const struct go_numbers *numbers, struct breakdown *breakdown);
