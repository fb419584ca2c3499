/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sampling.h"

#include <math.h>

#include "base/hash.h"

#define DEVIATION 1.96 /* of 95 % */

/* The whole number below or above, so that it is `value` on average over seeds. */
static uint64_t round_at_random(double value, uint64_t seed)
{
    uint64_t whole = (uint64_t)value;
    double chance = (double)(hash_mix(seed) >> 11) * 0x1p-53;
    return whole + (chance < value - (double)whole);
}

struct sample_weight sample_weigh(uint64_t size, uint64_t slack, uint64_t rate, uint64_t seed)
{
    double p = -expm1(-((double)size + 1) / (double)rate), n = (double)size;
    return (struct sample_weight){.calls = round_at_random(1 / p, seed),
                                  .bytes = (uint64_t)llround(n / p),
                                  .slack = (uint64_t)llround((double)slack / p)};
}

uint64_t sample_error(uint64_t bytes, uint64_t rate)
{
    return (uint64_t)llround(DEVIATION * sqrt(((double)bytes + (double)rate) * (double)rate));
}
