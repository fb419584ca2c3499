/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/bucket_walk.h"

#include <errno.h>

#include "base/human.h"

#define CELLS_KEPT_MAX (8u << 20) /* 128 MiB of cells; a moment is as large as three */

static int find_buckets(const struct recording *recording, struct time_range *range, size_t *first,
                        size_t *end)
{
    size_t const count = recording->buckets.count;
    const struct bucket *buckets = recording->buckets.items;

    *first = 0;
    while (*first < count && buckets[*first].end_ns <= range->from_ns)
        (*first)++;
    *end = *first;
    while (*end < count && buckets[*end].begin_ns < range->to_ns)
        (*end)++;
    if (*end == *first)
        return range->from_ns > 0 ? -ERANGE : 0;
    if (range->from_ns > 0)
        range->from_ns = buckets[*first].begin_ns;
    return 0;
}

int bucket_walk(struct recording *recording, struct time_range *range,
                struct bucket_visitor visitor, struct fault *fault)
{
    char ends[HUMAN_MAX];
    size_t first, end, kept = 0;

    if (find_buckets(recording, range, &first, &end) < 0)
        return fault_set(fault, -ERANGE,
                         "nothing was recorded in that time: the recording is %s long",
                         human_duration(recording->duration_ns, ends));
    range->to_ns = end > first ? recording->buckets.items[end - 1].end_ns : 0;
    for (size_t i = first; i < end; i++) {
        struct bucket *bucket = &recording->buckets.items[i];
        int err = recording_load_bucket(recording, bucket, fault);
        if (err)
            return err;
        visitor.visit(visitor.into, bucket);
        kept += bucket->cell_count + bucket->thread_cell_count + 3 * bucket->moment_count;
        if (kept > CELLS_KEPT_MAX)
            recording_unload_bucket(recording, bucket);
    }
    return 0;
}
