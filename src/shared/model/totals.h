/* totals.h - numbers about a whole run: totals of the heap, CPU timing, cost of recording, and what
 * the process had before. */
#pragma once

#include <stdint.h>

/* Totals over the whole run; exact even if single events were lost. */
struct totals {
    uint64_t calls, bytes, frees, freed_bytes, temporary;
    uint64_t peak_bytes, peak_count, peak_time_ns;
    uint64_t slack_bytes;      /* Usable minus requested bytes, over all allocations. */
    uint64_t peak_slack_bytes; /* Of the blocks that were live at the peak. */
};

/* State of the process when recording began, if it ran already; all 0 if not. */
struct before {
    uint64_t attached;   /* 1 if the process ran already. */
    uint64_t rss_bytes;  /* Resident size. */
    uint64_t heap_bytes; /* Part of rss_bytes in [heap]. */
    /* Part of rss_bytes in other private memory without a file: mmapped heaps, thread stacks. */
    uint64_t anonymous_bytes;
    /* How long one of its threads worked for memoir, to begin and to end the recording. */
    uint64_t borrowed_ns;
    /* The longest time that memoir stopped one of its threads only to look at it. */
    uint64_t stopped_ns;
};

/* Quality of CPU samples and waits; all 0 if there are none. */
struct timing {
    uint64_t hz;      /* Requested sampling rate; 0: CPU time was not sampled. */
    uint64_t samples; /* Samples recorded. */
    /* CPU time used meanwhile, by the kernel's own account: `samples` should be cpu_ns * hz / 1e9.
     */
    uint64_t cpu_ns;
    uint64_t lost;           /* Samples dropped at a full buffer. */
    uint64_t throttled;      /* How often the kernel throttled sampling. */
    uint64_t in_kernel;      /* Samples in kernel code; part of `samples`. */
    uint64_t kernel_unnamed; /* Part of in_kernel: no name, because kernel addresses are hidden. */
    uint64_t waits;          /* Waits seen. */
    uint64_t wait_ns;
    uint64_t waits_lost;
    uint64_t waits_without_stack;  /* Part of `waits`. */
    uint64_t is_counted_by_cycles; /* 1: sampled by the CPU's cycle counter; 0: by a clock. */
};

/* What recording cost. */
struct cost {
    uint64_t target_waits, target_wait_ns; /* Stalls of the program at a full ring. */
    uint64_t recorder_cpu_ns;
    uint64_t recorder_rss_bytes;
    uint64_t arena_bytes; /* Shared memory in use. */
    /* Time added to the program per event, measured in the program by sampling; 0 if unknown. */
    uint64_t ns_per_event;
};
