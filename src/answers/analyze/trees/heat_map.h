/* heat_map.h - when within each second something happened: one column per second, one row per
 * fiftieth of it.
 *
 * Spikes and pauses of some milliseconds, which sums over a run hide, show as single cells;
 * regular ones show as patterns.  A cell also knows which stacks it is made of.  Long or busy
 * recordings get longer columns, so that the size stays bounded. */
#pragma once

#include "analyze/sums/moment_sums.h"
#include "base/clock.h"

#define HEAT_ROWS         50
#define HEAT_COLUMNS_MAX  600
#define HEAT_PARTS_MAX    150000
#define HEAT_COLUMN_FIRST NS_PER_SECOND /* ns */

/* The part of one stack in one cell.  Slots number the cells in the order of time:
 * column * HEAT_ROWS + row. */
struct heat_part {
    uint32_t slot;
    uint32_t stack; /* The number that `names` of heat_map_build has for the row. */
    int64_t count, value;
};

struct heat_map {
    uint64_t begin_ns;  /* Start of column 0: a multiple of column_ns. */
    uint64_t column_ns; /* 1 s or more. */
    uint32_t columns;
    VEC(struct heat_part) parts;            /* Sorted by slot, then by stack; no duplicates. */
    int64_t timeless_count, timeless_value; /* Moments without a time: in no cell. */
    /* Columns are longer because there are many stacks, not because the recording is long. */
    bool is_crowded;
};

/* Places the moments that `sums` were made of, from the same recording.  names[i] is the number
 * that row i of `sums` has in the parts (several rows may have the same number), or
 * HEAT_LEFT_OUT to leave the row out.  Returns 0 or -errno with a sentence. */
#define HEAT_LEFT_OUT UINT32_MAX
int heat_map_build(struct recording *recording, const struct moment_sums *sums,
                   const uint32_t *names, struct heat_map *map, struct fault *fault);
void heat_map_fini(struct heat_map *map);

static inline uint64_t heat_row_ns(const struct heat_map *map)
{
    return map->column_ns / HEAT_ROWS;
}
