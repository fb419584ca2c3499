/* heat_map.h - time within time: a column per second, a row per fiftieth of it, and what was in each.
 *
 * Spikes and pauses of some milliseconds, which sums over a run hide, show as single cells; regular ones as patterns.  A
 * cell also knows which stacks it is made of.  Long or busy recordings get longer columns, so that the whole stays
 * bounded. */
#pragma once

#include "analyze/sums/moment_sums.h"

#define HEAT_ROWS         50
#define HEAT_COLUMNS_MAX  600
#define HEAT_PARTS_MAX    150000
#define HEAT_COLUMN_FIRST UINT64_C(1000000000) /* ns */

/* So much of one cell, by a stack.  Slots are cells in the order of time: column * HEAT_ROWS + row. */
struct heat_part {
    uint32_t slot;
    uint32_t stack; /* what `names` of heat_map_build says for its row */
    int64_t count, value;
};

struct heat_map {
    uint64_t begin_ns;  /* of column 0: whole columns since the recording began */
    uint64_t column_ns; /* 1 s, or more */
    uint32_t columns;
    VEC(struct heat_part) parts;            /* by slot, then by stack; no two alike */
    int64_t timeless_count, timeless_value; /* of moments without their instant: in no cell */
    bool
        is_crowded; /* the columns are longer because there are so many stacks, not for its length */
};

/* Places the moments that `sums` were made of, from the same recording.  names[i] is what row i of `sums` is
 * called in the parts (several rows may be called the same); HEAT_LEFT_OUT: not on the map.  0 or -errno with a sentence. */
#define HEAT_LEFT_OUT UINT32_MAX
int heat_map_build(struct recording *recording, const struct moment_sums *sums,
                   const uint32_t *names, struct heat_map *map, struct fault *fault);
void heat_map_fini(struct heat_map *map);

static inline uint64_t heat_row_ns(const struct heat_map *map)
{
    return map->column_ns / HEAT_ROWS;
}
