/* range_index.h - finds which of many address ranges, possibly nested, contain an address.
 *
 * Add all ranges, build once, then find.  Takes 24 bytes per range. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct range {
    uint64_t low, high; /* `high` is the first address after the range. */
    uint32_t value;     /* The caller's. */
    uint32_t outer;     /* The range around it, or RANGE_NONE; set by build. */
};

#define RANGE_NONE UINT32_MAX

struct range_index {
    VEC(struct range) ranges;
};

/* Ignores empty ranges.  Returns false when out of memory or full (16 M ranges). */
bool range_index_add(struct range_index *index, uint64_t low, uint64_t high, uint32_t value);
void range_index_build(struct range_index *index);
void range_index_free(struct range_index *index);

/* Returns the innermost range with `address`, or NULL. */
const struct range *range_index_find(const struct range_index *index, uint64_t address);

/* Returns the next outer range that also contains `address`, or NULL. */
const struct range *range_index_outer(const struct range_index *index, const struct range *range,
                                      uint64_t address);
