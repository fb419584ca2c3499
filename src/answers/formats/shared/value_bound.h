/* value_bound.h - how large the values of a file of another program may be together.
 *
 * Nothing real comes near the bound, and below it neither a sum of values nor the difference of two
 * sums is too large for an int64_t.  A file beyond it is refused: its numbers would wrap. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/recording.h"

#define VALUE_BOUND UINT64_C(0x4000000000000000)
#define VALUE_BOUND_SENTENCE                                                                       \
    "its values add up to more than 2^62 (4 EiB, or 146 years), which cannot be true"

/* Adds |value| * factor to the sum.  False, and the sum is not to be used, when it is larger than
 * the bound. */
static inline bool value_bound_add(uint64_t *sum, int64_t value, uint64_t factor)
{
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return !__builtin_mul_overflow(size, factor, &size) &&
           !__builtin_add_overflow(*sum, size, sum) && *sum <= VALUE_BOUND;
}

/* Whether each column of all buckets, of their threads and of each pin is within the bound, and so
 * are the totals. */
bool value_bound_holds(const struct recording *recording);
