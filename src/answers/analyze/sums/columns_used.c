/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/columns_used.h"

#include "base/invariant.h"

#define LOOKS_EACH 24u /* Newest buckets read per call, and as many others. */

static int look_at(struct columns_used *used, struct recording *recording, size_t place,
                   struct fault *fault)
{
    INVARIANT(place < recording->buckets.count);
    struct bucket *bucket = &recording->buckets.items[place];
    bool const was_loaded = bucket->cells != NULL;
    int const err = recording_load_bucket(recording, bucket, fault);
    for (size_t i = 0; !err && i < bucket->cell_count; i++)
        if (bucket->cells[i].column < COLUMN_LIMIT)
            used->has[bucket->cells[i].column] = true;
    if (!was_loaded)
        recording_unload_bucket(recording, bucket);
    return err;
}

static int look_at_newest(struct columns_used *used, struct recording *recording,
                          struct fault *fault)
{
    const struct bucket *buckets = recording->buckets.items;
    size_t const count = recording->buckets.count;
    size_t first = count;
    int err = 0;
    while (first > 0 && count - first < LOOKS_EACH && buckets[first - 1].end_ns > used->to_ns)
        first--;
    for (size_t i = first; i < count && !err; i++)
        err = look_at(used, recording, i, fault);
    if (count > 0)
        used->to_ns = buckets[count - 1].end_ns;
    return err;
}

/* Bucket at 0, 1/2, 1/4, 3/4, 1/8, ... of all buckets: `turn` with its bits reversed. */
static size_t spread(uint32_t turn, size_t count)
{
    uint32_t part = 0;
    for (unsigned bit = 0; bit < 32; bit++)
        part |= (turn >> bit & 1u) << (31 - bit);
    return (size_t)((uint64_t)part * count >> 32);
}

int columns_used_look(struct columns_used *used, struct recording *recording, struct fault *fault)
{
    size_t const count = recording->buckets.count;
    size_t turns = 1; /* Turns after which every bucket was read. */
    int err = look_at_newest(used, recording, fault);
    while (turns < count)
        turns *= 2;
    for (unsigned i = 0; i < LOOKS_EACH && used->turn < turns && count > 0 && !err; i++)
        err = look_at(used, recording, spread(used->turn++, count), fault);
    return err;
}

bool columns_used_has(const struct columns_used *used, const struct metric *metric)
{
    for (unsigned column = COL_NONE + 1; column < COLUMN_LIMIT; column++)
        if (used->has[column] && metric_sign(metric, column) > 0)
            return true;
    return false;
}
