/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sampling.h"

#include <math.h>

#include "base/hash.h"
#include "base/invariant.h"

#define DEVIATION SAMPLE_ERROR_DEVIATIONS
#define UNIT      ((double)SAMPLE_SPREAD_UNIT * SAMPLE_SPREAD_UNIT)

/* The whole number below or above, so that it is `value` on average over seeds. */
static uint64_t round_at_random(double value, uint64_t seed)
{
    uint64_t whole = (uint64_t)value;
    double chance = (double)(hash_mix(seed) >> 11) * 0x1p-53;
    INVARIANT(chance >= 0 && chance < 1);
    return whole + (chance < value - (double)whole);
}

static double chance_of(double size, uint64_t rate)
{
    INVARIANT(size >= 0 && rate > 0);
    return -expm1(-(size + 1) / (double)rate);
}

/* What a taken block adds to the variance. */
static double variance_of(double size, double chance)
{
    return size * size * (1 - chance) / (chance * chance);
}

struct sample_weight sample_weigh(uint64_t size, uint64_t slack, uint64_t rate, uint64_t seed)
{
    INVARIANT(rate > 0);
    double p = chance_of((double)size, rate), n = (double)size;
    INVARIANT(p > 0 && p <= 1);
    return (struct sample_weight){.calls = round_at_random(1 / p, seed),
                                  .bytes = (uint64_t)llround(n / p),
                                  .slack = (uint64_t)llround((double)slack / p),
                                  .spread = (uint64_t)llround(variance_of(n, p) / UNIT)};
}

uint64_t sample_error(const struct sample_estimate *estimate)
{
    double const bytes = fabs((double)estimate->bytes), count = fabs((double)estimate->count);
    if (estimate->rate == 0)
        return 0;
    double const n = count > 0 ? bytes / count : 0, p = chance_of(n, estimate->rate);
    double const one = n > 0 ? variance_of(n, p) : (double)estimate->rate * (double)estimate->rate;
    double const all = estimate->spread == SAMPLE_SPREAD_UNKNOWN
                           ? n > 0 ? count * p * one : bytes * (double)estimate->rate
                           : UNIT * fmax(0, (double)estimate->spread);
    return (uint64_t)llround(DEVIATION * sqrt(all + one));
}

uint64_t sample_call_error(const struct sample_estimate *estimate)
{
    double const bytes = fabs((double)estimate->bytes), count = fabs((double)estimate->count);
    if (estimate->rate == 0)
        return 0;
    double const p = chance_of(count > 0 ? bytes / count : 0, estimate->rate);
    double const one = (1 - p) / (p * p);
    double const all = estimate->spread == SAMPLE_SPREAD_UNKNOWN
                           ? count * p * one
                           : fmax(0, (double)estimate->spread);
    return (uint64_t)llround(DEVIATION * sqrt(all + one));
}

/* The chance that one estimate, or the highest of them, is so many standard deviations too high.
 * Blocks come and go one by one, so the error is like noise whose likeness fades exponentially; how
 * often such noise crosses a high level is known (Pickands). */
static double chance_above(double level, double turnovers)
{
    double const density = exp(-level * level / 2) / sqrt(2 * M_PI);
    return 0.5 * erfc(level / M_SQRT2) + turnovers * level * density;
}

double sample_highest(double turnovers, double chance)
{
    double low = 1, high = 40; /* from 1 on the chance falls */
    INVARIANT(turnovers >= 0 && chance > 0 && chance < 1);
    for (unsigned i = 0; i < 60; i++) {
        double const middle = (low + high) / 2;
        if (chance_above(middle, turnovers) > chance)
            low = middle;
        else
            high = middle;
    }
    return high;
}
