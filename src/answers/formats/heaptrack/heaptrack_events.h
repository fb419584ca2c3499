/* heaptrack_events.h - runs of blocks as the + and - lines of a heaptrack file, in an order that
 * makes its readers find the recorded peak, leaks and temporary counts.
 *
 * Within a slot: deaths of older blocks, then blocks that live in this slot alone, then births.  So
 * the level falls, wobbles at its lowest and rises once, and stays under the peak until the peak.
 */
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
    struct output *out;     /* NULL: infos are numbered only */
    const uint32_t *traces; /* by stack_id; stays the caller's */
    int64_t peak;           /* bytes, reached at heaptrack_peak and not before; or PEAK_UNKNOWN */
    uint64_t scale; /* 1: every event; k: about one in k, the bytes that stay are kept exact */

    /* what came out */
    uint64_t allocations, temporary;
    int64_t level, highest; /* bytes live, now and at most */
    uint64_t twin_frees;    /* written as a free of another block of the same size and trace */
    uint64_t shrunk;        /* blocks made smaller to stay under the peak */

    /* inside */
    struct heaptrack_infos infos;
    uint32_t last;          /* the info just allocated, if nothing was freed since; else 0 */
    struct held_block held; /* allocated, waiting for something else to come between */
    bool past_peak;
    bool failed; /* out of memory: the rest of the lines is missing */
};

/* Begins anew; the caller has set `traces`, `peak` and `scale`.  First without `out`, then the same
 * steps once more with it.  Returns 0 or -ENOMEM; either way heaptrack_events_fini ends it. */
int heaptrack_events_begin(struct heaptrack_events *events, struct output *out);
void heaptrack_events_fini(struct heaptrack_events *events);

/* The steps of a slot, each for all stacks before the next begins. */
void heaptrack_deaths(struct heaptrack_events *events, const struct block_run *run);
void heaptrack_pairs(struct heaptrack_events *events, const struct block_run *run);
void heaptrack_births(struct heaptrack_events *events, const struct block_run *run);
void heaptrack_slot_end(struct heaptrack_events *events);

/* The peak is now.  `block`, if any, is the one temporary block that is part of it. */
void heaptrack_peak(struct heaptrack_events *events, const struct block_run *block);
