/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/lookup/range_index.h"

#define RANGES_MAX (16u * 1024 * 1024)
#define STEPS_MAX  4096 /* honest nesting is shallow; a hostile file may not buy long walks */

bool range_index_add(struct range_index *index, uint64_t low, uint64_t high, uint32_t value)
{
    if (high <= low)
        return true;
    if (index->ranges.count >= RANGES_MAX)
        return false;
    return vec_push(&index->ranges, (struct range){low, high, value, RANGE_NONE});
}

/* Outer ranges come before the ones inside; of equals, the first added is the outer one. */
static int compare(const void *left, const void *right)
{
    const struct range *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high > b->high ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

void range_index_build(struct range_index *index)
{
    if (index->ranges.count == 0)
        return;
    struct range *ranges = index->ranges.items;
    qsort(ranges, index->ranges.count, sizeof(ranges[0]), compare);
    uint32_t open = RANGE_NONE; /* innermost range that reaches over the present one */
    for (uint32_t i = 0; i < index->ranges.count; i++) {
        while (open != RANGE_NONE && ranges[open].high <= ranges[i].low)
            open = ranges[open].outer;
        ranges[i].outer = open;
        open = i;
    }
}

void range_index_free(struct range_index *index)
{
    vec_free(&index->ranges);
}

static const struct range *covering(const struct range_index *index, uint32_t at, uint64_t address)
{
    const struct range *ranges = index->ranges.items;
    for (int step = 0; at != RANGE_NONE && step < STEPS_MAX; step++) {
        if (address < ranges[at].high)
            return &ranges[at];
        at = ranges[at].outer;
    }
    return NULL;
}

const struct range *range_index_find(const struct range_index *index, uint64_t address)
{
    /* first range that begins after the address */
    size_t const at = vec_lower_bound(&index->ranges, range, range->low <= address);
    return at == 0 ? NULL : covering(index, (uint32_t)(at - 1), address);
}

const struct range *range_index_outer(const struct range_index *index, const struct range *range,
                                      uint64_t address)
{
    return covering(index, range->outer, address);
}
