/* whole_hash.h - a hash of a whole stack that does not depend on where a walk met the trunk.
 *
 * The return addresses are the digits of a number, the outermost the lowest, modulo a prime.  So
 * the part that was walked, from the innermost digit on, can be added to what the trunk knows of
 * the digits outside it. */
#pragma once

#include <stdint.h>

#include "machine/processor.h"

/* All sums stay below 2^63: a base of 60 bits leaves room to reduce by one fold at each digit. */
#define WHOLE_PRIME ((1ull << 61) - 1)
#define WHOLE_BASE  0x9b4ef05d3a7c2e1ull

_Static_assert(WHOLE_BASE < 1ull << 60, "see above");

/* Returns the product, folded once: below 2^63 if `a` is, and `b` is below 2^60. */
static inline uint64_t whole_times(uint64_t a, uint64_t b)
{
    uint64_t high;
    uint64_t const low = processor_multiply(a, b, &high);
    return (low & WHOLE_PRIME) + (low >> 61) + (high << 3); /* no double shift: those are slow */
}

static inline uint64_t whole_reduce(uint64_t value)
{
    value = (value & WHOLE_PRIME) + (value >> 61);
    return value >= WHOLE_PRIME ? value - WHOLE_PRIME : value;
}

/* Returns the number of the walked digits and one more, further out; begins with 0.  Not
 * reduced. */
static inline uint64_t whole_outward(uint64_t walked, uint64_t ret)
{
    return whole_times(walked, WHOLE_BASE) + ret;
}

/* Some of the outermost digits. */
struct whole_outer {
    uint64_t sum;   /* Their number. */
    uint64_t power; /* What the next digit counts. */
};
#define WHOLE_NOTHING ((struct whole_outer){0, 1})

/* Returns these digits and one more, further in. */
static inline struct whole_outer whole_inward(struct whole_outer outer, uint64_t ret)
{
    return (struct whole_outer){
        whole_reduce(outer.sum + whole_reduce(whole_times(outer.power, ret))),
        whole_reduce(whole_times(outer.power, WHOLE_BASE))};
}

/* Returns the number of all digits. */
static inline uint64_t whole_join(struct whole_outer outer, uint64_t walked)
{
    uint64_t const inner = whole_times(whole_reduce(walked), outer.power);
    return whole_reduce(outer.sum + whole_reduce(inner));
}
