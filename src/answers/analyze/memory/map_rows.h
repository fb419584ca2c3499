/* map_rows.h - the mappings of a process in order of address, in few enough rows for a picture.
 *
 * The mappings with the most resident memory have rows of their own.  Mappings between them are
 * merged into one row, so that sums stay exact. */
#pragma once

#include "model/memory/breakdown.h"

struct map_row {
    /* Index of the first region of the breakdown, and how many regions. */
    uint32_t first, count;
    uint32_t largest; /* Index of the region of the row with the most resident memory. */
    /* Addresses; gap: unmapped bytes between this row and the row before. */
    uint64_t start, end, gap;
    struct memory_bytes bytes;
};

struct map_rows {
    VEC(struct map_row) items;
};

/* Makes at most `most` rows (at least 3) of the regions from `first` on, at most `count` of
 * them.  Returns 0 or -ENOMEM.  The caller calls map_rows_fini. */
int map_rows_make(const struct breakdown *breakdown, size_t first, size_t count, size_t most,
                  struct map_rows *rows);
void map_rows_fini(struct map_rows *rows);
