/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/latency.h"

#include <math.h>

#define LINEAR 64u /* below this every microsecond has a slot; above, each power of two has 64 */

static unsigned slot_of(uint64_t us)
{
    if (us < LINEAR)
        return (unsigned)us;
    unsigned const shift = 57u - (unsigned)__builtin_clzll(us); /* leaves 64 to 127 */
    unsigned const slot = LINEAR * (shift + 1) + (unsigned)((us >> shift) - LINEAR);
    return slot < LATENCY_SLOTS ? slot : LATENCY_SLOTS - 1;
}

/* The longest time of a slot. */
static uint64_t end_of(unsigned slot)
{
    if (slot < LINEAR)
        return slot;
    unsigned const shift = slot / LINEAR - 1;
    return ((uint64_t)(slot % LINEAR + LINEAR + 1) << shift) - 1;
}

void latency_add(struct latency *latency, uint64_t us)
{
    latency->counts[slot_of(us)]++;
    latency->count++;
    if (us > latency->max_us)
        latency->max_us = us;
}

uint64_t latency_percentile(const struct latency *latency, double share)
{
    uint64_t const wanted = (uint64_t)ceil(share * (double)latency->count);
    uint64_t seen = 0;
    for (unsigned slot = 0; latency->count && slot < LATENCY_SLOTS; slot++) {
        seen += latency->counts[slot];
        if (seen >= wanted && seen)
            return end_of(slot) < latency->max_us ? end_of(slot) : latency->max_us;
    }
    return latency->max_us;
}
