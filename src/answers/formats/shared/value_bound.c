/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/value_bound.h"

#include <string.h>

static bool add_cells(uint64_t sums[COLUMN_LIMIT], const struct cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i].column < COLUMN_LIMIT &&
            !value_bound_add(&sums[cells[i].column], cells[i].value, 1))
            return false;
    return true;
}

static bool pins_hold(const struct recording *recording)
{
    vec_each (pin, &recording->pins) {
        uint64_t sums[COLUMN_LIMIT] = {0};
        if (!add_cells(sums, pin->cells, pin->cell_count))
            return false;
    }
    return true;
}

static bool totals_hold(const struct totals *totals)
{
    return totals->bytes <= VALUE_BOUND && totals->freed_bytes <= VALUE_BOUND &&
           totals->peak_bytes <= VALUE_BOUND && totals->calls <= VALUE_BOUND &&
           totals->frees <= VALUE_BOUND && totals->peak_count <= VALUE_BOUND;
}

bool value_bound_holds(const struct recording *recording)
{
    uint64_t sums[COLUMN_LIMIT] = {0}, of_threads[COLUMN_LIMIT] = {0};
    bool holds = totals_hold(&recording->heap) && pins_hold(recording);
    for (size_t i = 0; i < recording->buckets.count && holds; i++) {
        const struct bucket *bucket = &recording->buckets.items[i];
        holds = add_cells(sums, bucket->cells, bucket->cell_count) &&
                add_cells(of_threads, bucket->thread_cells, bucket->thread_cell_count);
    }
    return holds;
}
