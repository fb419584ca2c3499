/* SPDX-License-Identifier: Apache-2.0 */
/* session_buckets.c - closes the books' part of a bucket, and keeps pins: snapshots of instants. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "capture/sessions/session_parts.h"
#include "procfs/process/process_facts.h"

/* Accounts are numbered by site, cells by stack.  Two sites with one stack (its end differs) may
 * both be there; sums do not mind. */
static void name_cells(const struct session *session, struct cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cells[i].key = stack_import_describe(session->books->stacks, cells[i].key)->stack;
}

/* How the stacks of the bucket's allocations ended. */
static void judge_stacks(struct session *session, const struct bucket *bucket)
{
    struct quality *quality = &session->recording->quality;
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        if (cell->column != COL_HEAP_CALLS && cell->column != COL_POOL_CALLS)
            continue;
        const struct imported_site *site = stack_import_describe(session->books->stacks, cell->key);
        quality_add_stacks(quality, STACK_SOURCE_HEAP, site->end, (uint64_t)cell->value);
        quality->collapsed_stacks += site->folded ? (uint64_t)cell->value : 0;
    }
}

int session_close_books(struct session *session, struct bucket *bucket,
                        const struct process_memory *memory, bool histograms)
{
    struct session_books *books = session->books;
    struct recording *recording = session->recording;
    session_limit_blocks(session, memory->rss_bytes);
    bucket->own_bytes = session_own_part(session, memory);
    /* What a forked process inherited, or was there before us, is resident but not ours to
     * explain. */
    if (!books->process.forked && !recording->before.attached &&
        memory->anon_bytes > (int64_t)recording->anon_peak_bytes)
        recording->anon_peak_bytes = (uint64_t)memory->anon_bytes;
    bucket->lost_events = books->bucket_lost;
    heap_book_close_gauges(books->heap, &bucket->gauges);
    int err = heap_book_close_bucket(books->heap, bucket);
    if (err == 0 && histograms)
        err = heap_book_close_histograms(books->heap, bucket);
    if (err == 0)
        err = map_book_close_bucket(books->maps, bucket);
    if (err == 0)
        err = session_close_told(session, bucket, histograms);
    if (err == 0)
        err = session_close_pages(session, bucket);
    judge_stacks(session, bucket);
    name_cells(session, bucket->cells, bucket->cell_count);
    return err;
}

void session_sum_books(struct session *session)
{
    struct session_books *books = session->books;
    struct recording *recording = session->recording;
    books->bucket_lost = 0;
    heap_book_totals(books->heap, &recording->heap);
    session_copy_doubts(session);
    if (books->is_thinned)
        session_settle_thinned(session);
    map_book_totals(books->maps, &recording->maps);
    session_sum_told(session);
}

int session_picture(struct session *session, struct pin *pin)
{
    int err = heap_book_pin_now(session->books->heap, pin);
    if (err == 0 && session->books->pools)
        err = heap_book_pin_now(pool_book_blocks(session->books->pools), pin);
    name_cells(session, pin->cells, pin->cell_count);
    return err;
}

int session_add_pin(struct session *session, struct pin *pin)
{
    struct recording *recording = session->recording;
    vec_each (old, &recording->pins) {
        if (old->kind == pin->kind && pin_is_peak(pin->kind)) {
            struct pin const replaced = *old;
            *old = *pin;
            free(replaced.cells); /* NOLINT(clang-analyzer-unix.Malloc): not those of the new one */
            free(replaced.thread_cells);
            return 0;
        }
    }
    return vec_push(&recording->pins, *pin) ? 0 : -ENOMEM;
}

static int pin_peak_of(struct session *session, struct heap_book *book, uint64_t peak,
                       uint64_t *written)
{
    struct pin pin = {.cells = NULL};
    if (peak == *written)
        return 0;
    int err = heap_book_pin_peak(book, &pin);
    name_cells(session, pin.cells, pin.cell_count);
    if (err == 0)
        err = session_add_pin(session, &pin);
    *written = peak;
    return err;
}

int session_pin_peaks(struct session *session)
{
    const struct recording *recording = session->recording;
    int err = pin_peak_of(session, session->books->heap, recording->heap.peak_bytes,
                          &session->books->written_peak);
    if (err < 0 || !session->books->pools)
        return err;
    return pin_peak_of(session, pool_book_blocks(session->books->pools),
                       recording->pools.peak_bytes, &session->books->written_pool_peak);
}
