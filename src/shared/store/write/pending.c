/* SPDX-License-Identifier: Apache-2.0 */
/* pending.c - what waits in memory while the disk is full. */
#include "store/write/coarsen.h"
#include "base/invariant.h"
#include "store/write/writer.h"

#define PENDING_BUCKETS_MAX 256
#define PENDING_CELLS_MAX   ((size_t)1024 * 1024)

static size_t pending_cells(const struct recording *recording, size_t first)
{
    INVARIANT(first <= recording->buckets.count);
    size_t cells = 0;
    for (size_t i = first; i < recording->buckets.count; i++)
        cells += recording->buckets.items[i].cell_count +
                 recording->buckets.items[i].thread_cell_count +
                 recording->buckets.items[i].moment_count;
    return cells;
}

/* Sums two lists into a new one; false when out of memory, with both as they were. */
static bool sum_lists(struct cell **into, size_t *into_count, struct cell **from, size_t from_count)
{
    struct cell_sum sum = {0};
    if (cell_sum_add(&sum, *into, *into_count) < 0 || cell_sum_add(&sum, *from, from_count) < 0 ||
        cell_sum_finish(&sum) < 0) {
        cell_sum_fini(&sum);
        return false;
    }
    free(*into);
    free(*from);
    *from = NULL;
    *into = sum.list.items;
    *into_count = sum.list.count;
    vec_free(&sum.scratch);
    return true;
}

/* Both lists become one without times. */
static bool join_moments(struct bucket *bucket, struct bucket *next)
{
    size_t const count = bucket->moment_count + next->moment_count;
    if (count == 0)
        return true;
    struct moment *all = realloc(bucket->moments, count * sizeof(all[0]));
    if (!all)
        return false;
    bucket->moments = all;
    if (next->moment_count > 0)
        memcpy(all + bucket->moment_count, next->moments, next->moment_count * sizeof(all[0]));
    free(next->moments);
    next->moments = NULL;
    next->moment_count = 0;
    bucket->moment_count = moments_fold(all, count);
    INVARIANT(bucket->moment_count <= count);
    return true;
}

/* If memory runs out half-way, the cells of `next` count one bucket too early: sums stay exact. */
static bool merge_into(struct bucket *bucket, struct bucket *next)
{
    INVARIANT(bucket->file_offset == 0 && next->file_offset == 0); /* both wait in memory */
    if (!sum_lists(&bucket->cells, &bucket->cell_count, &next->cells, next->cell_count))
        return false;
    next->cell_count = 0;
    if (!sum_lists(&bucket->thread_cells, &bucket->thread_cell_count, &next->thread_cells,
                   next->thread_cell_count))
        return false;
    next->thread_cell_count = 0;
    if (!join_moments(bucket, next))
        return false;
    coarsen_absorb(bucket, next);
    return true;
}

static bool may_merge(const struct recording *recording, const struct bucket *bucket,
                      const struct bucket *next)
{
    return bucket->end_ns == next->begin_ns && bucket->file_offset == 0 && next->file_offset == 0 &&
           !coarsen_is_pinned(recording, next->begin_ns) &&
           !marks_have(&recording->marks, next->begin_ns);
}

/* Merges neighbours two by two; true when that made fewer of them. */
static bool halve(struct recording *recording, size_t first)
{
    size_t kept = first, count = recording->buckets.count;
    struct bucket *buckets = recording->buckets.items;
    for (size_t i = first; i < count; kept++) {
        buckets[kept] = buckets[i++];
        if (i < count && may_merge(recording, &buckets[kept], &buckets[i]) &&
            merge_into(&buckets[kept], &buckets[i]))
            i++;
    }
    recording->buckets.count = kept;
    INVARIANT(kept <= count && kept >= first);
    return kept < count;
}

void pending_bound(struct recording *recording, size_t first_unwritten)
{
    while (recording->buckets.count - first_unwritten > PENDING_BUCKETS_MAX ||
           pending_cells(recording, first_unwritten) > PENDING_CELLS_MAX) {
        if (!halve(recording, first_unwritten))
            return;
        recording->quality.coarsened = true;
    }
}
