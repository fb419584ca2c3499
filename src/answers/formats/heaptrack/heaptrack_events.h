/* heaptrack_events.h - writes runs of blocks as the + and - lines of a heaptrack file, in an order
 * in which readers find the recorded peak, leaks and temporary counts.
 *
 * The order in a slot: frees of older blocks, then blocks that live only in this slot, then
 * allocations.  So the live size first falls, then changes a little at its minimum, then rises
 * once; and it stays below the peak until the peak. */
#pragma once

#include <stdbool.h>

#include "formats/heaptrack/block_history.h"
#include "formats/heaptrack/heaptrack_infos.h"

#define PEAK_UNKNOWN INT64_MAX

struct held_block {
    uint64_t size;
    uint32_t trace, info; /* info 0: none */
};

struct heaptrack_events {
    struct output *out;     /* NULL: only number the infos */
    const uint32_t *traces; /* by stack_id; borrowed */
    int64_t peak; /* bytes that must be reached at heaptrack_peak and not before; or PEAK_UNKNOWN */
    /* 1: write every event; k: about one event in k, with the bytes of lasting blocks exact */
    uint64_t scale;

    /* results: */
    uint64_t allocations, temporary;
    int64_t level, highest; /* live bytes, now and at most */
    uint64_t twin_frees;    /* frees written as the free of another block of equal size and trace */
    uint64_t shrunk;        /* blocks that were made smaller to stay below the peak */

    /* internal: */
    struct heaptrack_infos infos;
    uint32_t last; /* the info of the last allocation, if nothing was freed since; else 0 */
    struct held_block held; /* an allocated block whose free must not follow directly */
    bool past_peak;
    bool failed; /* out of memory: the rest of the lines is missing */
};

/* Begins the events; the caller has set `traces`, `peak` and `scale`.  All steps must be done
 * twice: first with `out` NULL, then with `out`.  Returns 0 or -ENOMEM; call heaptrack_events_fini
 * in both cases. */
int heaptrack_events_begin(struct heaptrack_events *events, struct output *out);
void heaptrack_events_fini(struct heaptrack_events *events);

/* The steps of a slot, in this order; do each for all stacks before the next one. */
void heaptrack_deaths(struct heaptrack_events *events, const struct block_run *run);
void heaptrack_pairs(struct heaptrack_events *events, const struct block_run *run);
void heaptrack_births(struct heaptrack_events *events, const struct block_run *run);
void heaptrack_slot_end(struct heaptrack_events *events);

/* Marks the peak.  `block`, if any, is the one temporary block that is live at the peak. */
void heaptrack_peak(struct heaptrack_events *events, const struct block_run *block);
