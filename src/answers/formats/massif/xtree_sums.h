/* xtree_sums.h - the heap by stack from valgrind's --xtree-memory, as the only bucket of a
 * recording.
 *
 * The file says what each stack has now and what it ever allocated; the difference was freed.
 * (What the file calls freed is by the stack that freed, which is something else.) */
#pragma once

#include "model/recording.h"

enum xtree_sum { XTREE_NOW_BYTES, XTREE_NOW_BLOCKS, XTREE_ALL_BYTES, XTREE_ALL_BLOCKS, XTREE_SUMS };

struct xtree_sums {
    VEC(struct xtree_row {
        stack_id stack;
        enum xtree_sum sum;
        uint64_t value;
    })
    rows;
    bool has[XTREE_SUMS];
};

/* Returns 0 or -ENOMEM. */
int xtree_add(struct xtree_sums *sums, stack_id stack, enum xtree_sum sum, uint64_t value);
/* Makes the bucket, which ends at `time_ns`, and the totals of the recording.  Returns 0 or
 * -ENOMEM. */
int xtree_book(struct xtree_sums *sums, struct recording *recording, uint64_t time_ns);
void xtree_fini(struct xtree_sums *sums);
