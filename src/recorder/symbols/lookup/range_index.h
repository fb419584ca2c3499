/* range_index.h - which of many address ranges, possibly nested, hold an address.
 *
 * Add all, build once, then find.  24 bytes per range. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct range {
    uint64_t low, high; /* high is the first address after */
    uint32_t value;     /* the caller's */
    uint32_t outer;     /* the range around it, or RANGE_NONE; set by build */
};

#define RANGE_NONE UINT32_MAX

struct range_index {
    VEC(struct range) ranges;
};

/* Ignores empty ranges.  False when out of memory or full (16 M ranges). */
bool range_index_add(struct range_index *index, uint64_t low, uint64_t high, uint32_t value);
void range_index_build(struct range_index *index);
void range_index_free(struct range_index *index);

/* The innermost range with `address`, or NULL. */
const struct range *range_index_find(const struct range_index *index, uint64_t address);

/* The next range further out that also holds `address`, or NULL. */
const struct range *range_index_outer(const struct range_index *index, const struct range *range,
                                      uint64_t address);
