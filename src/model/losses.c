/* SPDX-License-Identifier: Apache-2.0 */
#include "model/losses.h"

uint64_t losses_of_events(const struct recording *recording)
{
    return recording->quality.lost_events + recording->timing.lost + recording->timing.waits_lost;
}

bool losses_matter(const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    return quality->lost_bytes || quality->live_doubt_bytes || quality->peak_doubt_bytes;
}

static struct value_range range_around(uint64_t value, uint64_t doubt, uint64_t lost)
{
    uint64_t const high = value + lost;
    return (struct value_range){.low = doubt < value ? value - doubt : 0,
                                .high = high < value ? UINT64_MAX : high};
}

struct value_range losses_of_peak(const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    return range_around(recording->heap.peak_bytes, quality->peak_doubt_bytes, quality->lost_bytes);
}

struct value_range losses_of_live(const struct recording *recording, int64_t value)
{
    const struct quality *quality = &recording->quality;
    return range_around(value > 0 ? (uint64_t)value : 0, quality->live_doubt_bytes,
                        quality->lost_bytes);
}
