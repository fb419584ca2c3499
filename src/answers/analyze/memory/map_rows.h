/* map_rows.h - the mappings of a process in order of address, as few rows as a picture can hold.
 *
 * Those with the most resident memory have rows of their own; what lies between them is put together, so sums stay exact. */
#pragma once

#include "model/breakdown.h"

struct map_row {
    uint32_t first, count;    /* regions of the breakdown: its number, and how many */
    uint32_t largest;         /* the one of them with the most resident memory */
    uint64_t start, end, gap; /* addresses; unmapped ones between this row and the one before */
    struct memory_bytes bytes;
};

struct map_rows {
    VEC(struct map_row) items;
};

/* Of regions `first` and the `count` that follow (as many as there are), in at most `most` rows (at least 3).  0 or -ENOMEM.  The caller ends it. */
int map_rows_make(const struct breakdown *breakdown, size_t first, size_t count, size_t most,
                  struct map_rows *rows);
void map_rows_fini(struct map_rows *rows);
