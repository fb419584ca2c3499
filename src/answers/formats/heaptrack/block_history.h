/* block_history.h - single blocks made up from sums, so that formats that want events can be fed.
 *
 * A recording knows, per stack and bucket of time, how many blocks were allocated and freed and
 * their bytes, and all of it at the peak.  This turns the sums of one stack into *runs*: so many
 * blocks of together so many bytes, born in one slot and died in another.  Adding the runs up again
 * gives back, for every slot, the same calls, bytes, frees and freed bytes, and at the peak the
 * same live blocks and bytes.  docs/formats.md explains the method. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

/* What one stack did in one slot of time, or (see below) was at the peak. */
struct stack_sums {
    uint32_t stack;
    uint32_t slot;
    uint64_t calls, bytes, frees, freed, temporary;
};

#define SLOT_NEVER UINT32_MAX

struct block_run {
    uint32_t stack;
    uint32_t born, died; /* slots; died may be SLOT_NEVER: leaked */
    uint64_t count, bytes;
    uint64_t freed;     /* bytes at death: equal to `bytes` whenever the sums allow it */
    uint64_t temporary; /* of `count`: freed right after they were allocated */
    uint32_t resized;   /* 1: `freed` differs from `bytes` */
};

struct block_runs {
    VEC(struct block_run) runs;
    uint64_t resized_frees;  /* frees whose size is not that of the block: sums left no choice */
    uint64_t frees_left_out; /* more frees than blocks: damaged input */
    uint64_t peak_off_by;    /* bytes the peak of a stack could not be met by: damaged input */
    uint64_t temporary_left_over; /* that could not be made adjacent */
    /* index + 1 of the run that is temporary across the peak; 0: none */
    uint64_t peak_temporary_run;
};

struct peak_state {
    uint32_t slot;         /* the peak is at the end of this slot; SLOT_NEVER: there is none */
    uint64_t count, bytes; /* of this stack */
};

/* Appends the runs of one stack.  `sums` are that stack's, by slot, rising; a slot may be missing.
 * The bucket with the peak is given once, in `peak.slot`; what of it came after the peak is moved
 * to slot peak.slot + 1, which no other sums may use.  Returns 0 or -ENOMEM. */
int block_runs_add(struct block_runs *runs, const struct stack_sums *sums, size_t sums_count,
                   struct peak_state peak);
void block_runs_fini(struct block_runs *runs);
