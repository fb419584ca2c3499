/* quality.h - how complete a recording is: lost events, incomplete stacks, sampling, damage. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where the walk of a stack ended, and why; counted per event. */
enum stack_end {
    STACK_END_COMPLETE,  /* Reached _start, the entry of the thread, or the like. */
    STACK_END_NO_RULE,   /* Code without unwind information. */
    STACK_END_BAD_FRAME, /* The unwind rules led outside the stack. */
    STACK_END_TOO_DEEP,  /* Innermost and outermost frames are kept, the middle is left out. */
    STACK_END_TABLE_FULL,
    STACK_END_CUT,       /* The stack goes on behind the part that was copied. */
    STACK_END_NOT_TAKEN, /* Too many new stacks at once, or the stack could not be read. */
    STACK_END_KINDS
};

/* What a stack was captured for.  Each source has its own way to capture stacks, so each has its
 * own share of incomplete ones. */
enum stack_source {
    STACK_SOURCE_HEAP,
    STACK_SOURCE_CPU,   /* Samples. */
    STACK_SOURCE_WAITS, /* Waits that are reported one by one. */
    STACK_SOURCE_PAGES, /* Page faults. */
    STACK_SOURCES
};
const char *stack_source_name(enum stack_source source); /* "heap", ... */

struct stack_share {
    uint64_t stacks, complete;
};

/* Name of the outermost frame of a stack that was not walked to its outer end. */
#define STACK_CUT_NAME "[stack cut here]"
/* Name of the frames of memoir's own code, in the program or beside it. */
#define OWN_CODE_NAME "[memoir]"

struct quality {
    uint64_t events;      /* Allocations, frees and mappings that were seen. */
    uint64_t lost_events; /* Events dropped at a full ring. */
    /* Allocations among the lost events: part of the totals, but of no stack. */
    uint64_t lost_calls, lost_bytes;
    /* Frees among the lost events: freed blocks may count as live. */
    uint64_t lost_frees;
    /* Lost frees that were noticed: a new block appeared at the address of a live one. */
    uint64_t implied_frees;
    /* Frees of blocks that were allocated before recording began, or whose allocation was lost. */
    uint64_t unknown_frees;
    /* Further such frees: of blocks that were left out, or allocated before. */
    uint64_t left_out_frees;
    uint64_t stack_ends[STACK_END_KINDS]; /* Number of events by how their stack ended. */
    /* By source; foreign files and older recordings have none. */
    struct stack_share sources[STACK_SOURCES];
    uint64_t collapsed_stacks; /* Events whose deep recursion was folded. */
    uint64_t damaged_chunks;   /* Chunks of the file with a wrong checksum, skipped. */
    uint64_t truncated_bytes;  /* Incomplete bytes at the end of the file, after a crash. */
    /* Bytes per sample, the largest value used; 0: everything was traced. */
    uint64_t sample_rate;
    uint64_t samples_dropped; /* Samples that the tracer had no room for. */
    /* Bytes of blocks that were live when sampling began: booked as freed. */
    uint64_t unfollowed_bytes;
    /* How often a thread's events were dropped in a row, and the longest such time. */
    uint64_t gaps, longest_gap_ns;
    /* Live bytes at the end, or at the peak, may be lower by this much because frees were lost, and
     * higher by lost_bytes. */
    uint64_t live_doubt_bytes, peak_doubt_bytes;
    /* As above, for the number of blocks. */
    uint64_t live_doubt_calls, peak_doubt_calls;
    /* Allocations that came faster than they could be recorded while the program was not allowed to
     * wait.  They are in the totals, and estimated from samples everywhere else. */
    uint64_t thinned_calls, thinned_bytes;
    /* Variance of the live bytes at the end and at the peak because of sampling: see sampling.h. */
    uint64_t live_spread, peak_spread;
    uint64_t live_call_spread, peak_call_spread; /* For the number of blocks. */
    uint64_t has_spread;        /* 1: live_spread, peak_spread and their columns are there. */
    uint64_t unwritten_from_ns; /* Everything later could not be written; 0: all was written. */
    uint64_t unwritten_error;   /* Why it could not be written: an errno. */
    /* The peak may be off by this many bytes, because the exact order of events of several threads
     * is unknown. */
    uint64_t peak_order_bytes;
    /* How long the heap was not traced at all; blocks allocated in that time are missing. */
    uint64_t off_ns;
    bool complete;  /* The recorder ended in order. */
    bool coarsened; /* Older buckets were merged to stay under the size cap. */
};

/* Counts `count` more events of a source whose stacks ended with `end`. */
void quality_add_stacks(struct quality *quality, enum stack_source source, enum stack_end end,
                        uint64_t count);
