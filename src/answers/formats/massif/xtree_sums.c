/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/massif/xtree_sums.h"

#include <errno.h>

int xtree_add(struct xtree_sums *sums, stack_id stack, enum xtree_sum sum, uint64_t value)
{
    sums->has[sum] = true;
    return vec_push(&sums->rows, (struct xtree_row){stack, sum, value}) ? 0 : -ENOMEM;
}

static int by_stack(const void *left, const void *right)
{
    const struct xtree_row *a = left, *b = right;
    return a->stack < b->stack ? -1 : a->stack > b->stack;
}

static bool put(struct bucket *bucket, size_t *room, struct cell cell)
{
    if (cell.value == 0)
        return true;
    if (bucket->cell_count == *room) {
        struct cell *grown =
            vec_grow_items(bucket->cells, room, *room + 1, sizeof(bucket->cells[0]));
        if (!grown)
            return false;
        bucket->cells = grown;
    }
    bucket->cells[bucket->cell_count++] = cell;
    return true;
}

/* What was ever asked for, and what of it is gone; without the first, what is there was asked
 * for. */
static bool book_pair(struct recording *recording, struct bucket *bucket, size_t *room,
                      stack_id stack, const uint64_t now_and_all[2], bool is_bytes)
{
    struct totals *heap = &recording->heap;
    uint64_t const now = now_and_all[0];
    uint64_t const all = now_and_all[1] > now ? now_and_all[1] : now;
    *(is_bytes ? &heap->bytes : &heap->calls) += all;
    *(is_bytes ? &heap->freed_bytes : &heap->frees) += all - now;
    return put(bucket, room,
               (struct cell){stack, is_bytes ? COL_HEAP_BYTES : COL_HEAP_CALLS, (int64_t)all}) &&
           put(bucket, room,
               (struct cell){stack, is_bytes ? COL_HEAP_FREED : COL_HEAP_FREES,
                             (int64_t)(all - now)});
}

int xtree_book(struct xtree_sums *sums, struct recording *recording, uint64_t time_ns)
{
    struct bucket bucket = {
        .end_ns = time_ns ? time_ns : 1, .gauges = {-1, -1, -1, -1}, .rss_max = -1};
    size_t room = 0;
    bool fine = true;
    if (sums->rows.count > 1)
        qsort(sums->rows.items, sums->rows.count, sizeof(sums->rows.items[0]), by_stack);
    for (size_t i = 0; i < sums->rows.count && fine;) {
        stack_id const stack = sums->rows.items[i].stack;
        uint64_t of[XTREE_SUMS] = {0};
        for (; i < sums->rows.count && sums->rows.items[i].stack == stack; i++)
            of[sums->rows.items[i].sum] += sums->rows.items[i].value;
        uint64_t const bytes[] = {of[XTREE_NOW_BYTES], of[XTREE_ALL_BYTES]};
        uint64_t const blocks[] = {of[XTREE_NOW_BLOCKS], of[XTREE_ALL_BLOCKS]};
        fine = book_pair(recording, &bucket, &room, stack, blocks, false) &&
               book_pair(recording, &bucket, &room, stack, bytes, true);
    }
    bucket.gauges.heap_live_end = (int64_t)(recording->heap.bytes - recording->heap.freed_bytes);
    recording->duration_ns = bucket.end_ns;
    if (fine && vec_push(&recording->buckets, bucket))
        return 0;
    free(bucket.cells);
    return -ENOMEM;
}

void xtree_fini(struct xtree_sums *sums)
{
    vec_free(&sums->rows);
}
