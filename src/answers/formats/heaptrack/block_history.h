/* block_history.h - makes up single blocks from sums, for formats that need events.
 *
 * A recording has, per stack and time bucket, the number and bytes of blocks that were allocated
 * and freed, and the live blocks at the peak.  Here the sums of one stack become *runs*: a number
 * of blocks with a sum of bytes, allocated in one slot and freed in another.  The sums of the runs
 * are equal to the original ones: for every slot the same calls, bytes, frees and freed bytes, and
 * at the peak the same live blocks and bytes.  docs/formats.md explains the method. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

/* The sums of one stack in one slot of time, or (see below) its live blocks at the peak. */
struct stack_sums {
    uint32_t stack;
    uint32_t slot;
    uint64_t calls, bytes, frees, freed, temporary;
};

#define SLOT_NEVER UINT32_MAX

struct block_run {
    uint32_t stack;
    uint32_t born, died; /* slots; died is SLOT_NEVER for leaked blocks */
    uint64_t count, bytes;
    uint64_t freed;     /* bytes when freed: equal to `bytes` if the sums allow that */
    uint64_t temporary; /* how many of `count` were freed right after their allocation */
    uint32_t resized;   /* 1: `freed` differs from `bytes` */
};

struct block_runs {
    VEC(struct block_run) runs;
    /* frees whose size differs from the size of the block, because of the sums */
    uint64_t resized_frees;
    uint64_t frees_left_out; /* frees without a block: the input is damaged */
    uint64_t peak_off_by;    /* bytes by which the peak of stacks differs: the input is damaged */
    uint64_t temporary_left_over; /* temporary blocks whose free could not follow directly */
    /* index + 1 of the run with a temporary block that is live at the peak; 0: none */
    uint64_t peak_temporary_run;
};

struct peak_state {
    uint32_t slot;         /* the peak is at the end of this slot; SLOT_NEVER: there is none */
    uint64_t count, bytes; /* live at the peak, of this stack */
};

/* Appends the runs of one stack.  `sums` are the sums of this stack, sorted by slot; slots may be
 * missing.  The bucket with the peak has one item, in `peak.slot`; its part after the peak is moved
 * to slot peak.slot + 1, which no other item may use.  Returns 0 or -ENOMEM. */
int block_runs_add(struct block_runs *runs, const struct stack_sums *sums, size_t sums_count,
                   struct peak_state peak);
void block_runs_fini(struct block_runs *runs);
