/* SPDX-License-Identifier: Apache-2.0 */
#include "model/losses.h"

#include "model/sampling.h"

#define SURE         2 /* times what is so in 95 of 100 cases: 999 of 1,000 */
#define SURE_OF_PEAK 3 /* the highest of many estimates is rather too high */

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

uint64_t sampled_error_of_peak(const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    return sample_error(&(struct sample_estimate){(int64_t)recording->heap.peak_bytes, 0,
                                                  spread_of(recording, quality->peak_spread),
                                                  quality->sample_rate});
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
    uint64_t const error = sampled_error_of_peak(recording);
    return range_around(recording->heap.peak_bytes,
                        quality->peak_doubt_bytes + SURE_OF_PEAK * error,
                        quality->lost_bytes + SURE * error);
}

struct value_range losses_of_live(const struct recording *recording, int64_t value)
{
    const struct quality *quality = &recording->quality;
    uint64_t const error = sampled_error_of_live(recording, value);
    return range_around(value > 0 ? (uint64_t)value : 0, quality->live_doubt_bytes + SURE * error,
                        quality->lost_bytes + SURE * error);
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

struct value_range losses_of_before(const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    return range_around(quality->unknown_frees, quality->lost_calls, quality->left_out_frees);
}
