/* SPDX-License-Identifier: Apache-2.0 */
#include "model/losses.h"

#include <math.h>

#include "model/sampling.h"

#define SURE        2      /* times what is so in 95 of 100 cases: 999 of 1,000 */
#define SURE_CHANCE 0.0005 /* of the truth beyond one end of the range */
#define HALF_CHANCE 0.5

uint64_t losses_of_events(const struct recording *recording)
{
    return recording->quality.lost_events + recording->timing.lost + recording->timing.waits_lost;
}

bool losses_matter(const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    return quality->lost_bytes || quality->live_doubt_bytes || quality->peak_doubt_bytes;
}

static int64_t spread_of(const struct recording *recording, uint64_t spread)
{
    return recording->quality.has_spread ? (int64_t)spread : SAMPLE_SPREAD_UNKNOWN;
}

uint64_t sampled_error_of_live(const struct recording *recording, int64_t value)
{
    const struct quality *quality = &recording->quality;
    return sample_error(&(struct sample_estimate){
        value, 0, spread_of(recording, quality->live_spread), quality->sample_rate});
}

/* As if the peak were the estimate at any time. */
static uint64_t error_of_peak(const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    return sample_error(&(struct sample_estimate){(int64_t)recording->heap.peak_bytes, 0,
                                                  spread_of(recording, quality->peak_spread),
                                                  quality->sample_rate});
}

/* By how many errors the peak is too high, but in `chance` of the cases. */
static double errors_of_peak(const struct recording *recording, double chance)
{
    const struct totals *heap = &recording->heap;
    double const turnovers = heap->peak_bytes && heap->bytes > heap->peak_bytes
                                 ? (double)heap->bytes / (double)heap->peak_bytes
                                 : 1;
    return sample_highest(turnovers, chance) / SAMPLE_ERROR_DEVIATIONS;
}

uint64_t sampled_error_at_peak(const struct recording *recording, uint64_t error)
{
    uint64_t const whole = error_of_peak(recording);
    double const share = whole > error ? (double)error / (double)whole : 1;
    /* what is too high is spread over the parts as the variance is */
    return error + (uint64_t)(errors_of_peak(recording, HALF_CHANCE) * share * (double)error);
}

static uint64_t times(double factor, uint64_t error)
{
    return (uint64_t)ceil(fmax(factor, SURE) * (double)error);
}

static struct value_range range_around(uint64_t value, uint64_t below, uint64_t above)
{
    uint64_t const high = value + above;
    return (struct value_range){.low = below < value ? value - below : 0,
                                .high = high < value ? UINT64_MAX : high};
}

struct value_range losses_of_peak(const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    uint64_t const error = error_of_peak(recording);
    double const below = errors_of_peak(recording, SURE_CHANCE);
    return range_around(recording->heap.peak_bytes, quality->peak_doubt_bytes + times(below, error),
                        quality->lost_bytes + SURE * error);
}

struct value_range losses_of_live(const struct recording *recording, int64_t value)
{
    const struct quality *quality = &recording->quality;
    uint64_t const error = sampled_error_of_live(recording, value);
    return range_around(value > 0 ? (uint64_t)value : 0, quality->live_doubt_bytes + SURE * error,
                        quality->lost_bytes + SURE * error);
}

struct counted {
    uint64_t bytes, calls;
    uint64_t doubt_bytes, doubt_calls, spread, call_spread;
};

/* Of a file from before blocks in doubt were counted, all are. */
static bool range_of_calls(const struct recording *recording, const struct counted *counted,
                           double below, struct value_range *range)
{
    const struct quality *quality = &recording->quality;
    if ((counted->bytes && !counted->calls) || (quality->lost_bytes && !quality->lost_calls))
        return false;
    bool const is_told = counted->call_spread || !counted->spread;
    uint64_t const error = sample_call_error(&(struct sample_estimate){
        (int64_t)counted->bytes, (int64_t)counted->calls,
        is_told ? spread_of(recording, counted->call_spread) : SAMPLE_SPREAD_UNKNOWN,
        quality->sample_rate});
    uint64_t const doubt =
        counted->doubt_bytes && !counted->doubt_calls ? counted->calls : counted->doubt_calls;
    *range = range_around(counted->calls, doubt + times(below, error),
                          quality->lost_calls + SURE * error);
    return true;
}

bool losses_of_peak_calls(const struct recording *recording, struct value_range *range)
{
    const struct quality *quality = &recording->quality;
    struct counted const counted = {.bytes = recording->heap.peak_bytes,
                                    .calls = recording->heap.peak_count,
                                    .doubt_bytes = quality->peak_doubt_bytes,
                                    .doubt_calls = quality->peak_doubt_calls,
                                    .spread = quality->peak_spread,
                                    .call_spread = quality->peak_call_spread};
    return range_of_calls(recording, &counted, errors_of_peak(recording, SURE_CHANCE), range);
}

bool losses_of_live_calls(const struct recording *recording, int64_t value, int64_t count,
                          struct value_range *range)
{
    const struct quality *quality = &recording->quality;
    struct counted const counted = {.bytes = value > 0 ? (uint64_t)value : 0,
                                    .calls = count > 0 ? (uint64_t)count : 0,
                                    .doubt_bytes = quality->live_doubt_bytes,
                                    .doubt_calls = quality->live_doubt_calls,
                                    .spread = quality->live_spread,
                                    .call_spread = quality->live_call_spread};
    return range_of_calls(recording, &counted, SURE, range);
}

bool losses_of_freed(const struct recording *recording, struct value_range *range)
{
    const struct quality *quality = &recording->quality;
    const struct totals *heap = &recording->heap;
    if (quality->sample_rate && !quality->thinned_calls)
        return false;
    uint64_t const error =
        sampled_error_of_live(recording, (int64_t)(heap->bytes - heap->freed_bytes));
    *range = range_around(heap->freed_bytes, quality->lost_bytes + SURE * error,
                          quality->live_doubt_bytes + SURE * error);
    if (range->high > heap->bytes && heap->bytes >= heap->freed_bytes)
        range->high = heap->bytes; /* no more than was allocated */
    return true;
}

/* Of a program that ran already, frees of its own blocks cannot be told from those of lost ones
 * and of ones from before. */
bool losses_of_freed_calls(const struct recording *recording, struct value_range *range)
{
    const struct quality *quality = &recording->quality;
    const struct totals *heap = &recording->heap;
    *range = range_around(heap->frees, 0, 0);
    if (quality->sample_rate && !quality->thinned_calls)
        return false;
    if (!recording->before.attached)
        return true;
    uint64_t const error = sample_call_error(&(struct sample_estimate){
        (int64_t)(heap->bytes - heap->freed_bytes), (int64_t)(heap->calls - heap->frees),
        spread_of(recording, quality->live_call_spread), quality->sample_rate});
    *range = range_around(heap->frees, quality->lost_calls + quality->lost_frees + SURE * error,
                          quality->lost_calls + quality->live_doubt_calls + SURE * error);
    if (range->high > heap->calls && heap->calls >= heap->frees)
        range->high = heap->calls;
    return true;
}

struct value_range losses_of_before(const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    return range_around(quality->unknown_frees, quality->lost_calls,
                        quality->left_out_frees + quality->lost_frees);
}
