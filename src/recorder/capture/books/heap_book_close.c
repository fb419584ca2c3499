/* SPDX-License-Identifier: Apache-2.0 */
/* heap_book_close.c - what a heap book gives to the recording: cells of a bucket, and of a pin. */
#include <errno.h>

#include "base/invariant.h"
#include "capture/books/heap_book_parts.h"

/* Cells to be added to those that are there already. */
static struct ledger_cells list_of(const struct heap_book *book, struct cell *cells, size_t count)
{
    return (struct ledger_cells){.cells = {cells, count, count}, .of_pools = book->of_pools};
}

int heap_book_close_bucket(struct heap_book *book, struct bucket *bucket)
{
    INVARIANT(heap_book_is_valid(book));
    struct ledger_cells sites = list_of(book, bucket->cells, bucket->cell_count);
    struct ledger_cells threads = list_of(book, bucket->thread_cells, bucket->thread_cell_count);
    ledger_close_bucket(&book->sites, &sites);
    ledger_close_bucket(&book->threads, &threads);
    INVARIANT(sites.cells.count >= bucket->cell_count);
    bucket->cells = sites.cells.items;
    bucket->cell_count = sites.cells.count;
    bucket->thread_cells = threads.cells.items;
    bucket->thread_cell_count = threads.cells.count;
    return sites.failed || threads.failed ? -ENOMEM : 0;
}

void heap_book_close_gauges(struct heap_book *book, struct gauges *gauges)
{
    INVARIANT(book->bucket_min <= book->bucket_max);
    gauges->heap_live_end = book->live_bytes;
    gauges->heap_live_max = book->bucket_max;
    gauges->heap_live_min = book->bucket_min;
    book->bucket_max = book->bucket_min = book->live_bytes;
}

int heap_book_close_histograms(struct heap_book *book, struct bucket *bucket)
{
    struct ledger_cells list = list_of(book, bucket->cells, bucket->cell_count);
    ledger_close_histograms(&book->sites, &list);
    bucket->cells = list.cells.items;
    bucket->cell_count = list.cells.count;
    return list.failed ? -ENOMEM : 0;
}

static int pin_all(const struct heap_book *book, bool at_peak, struct pin *pin)
{
    struct ledger_cells sites = list_of(book, pin->cells, pin->cell_count);
    struct ledger_cells threads = list_of(book, pin->thread_cells, pin->thread_cell_count);
    ledger_pin(&book->sites, at_peak, book->epoch, &sites);
    ledger_pin(&book->threads, at_peak, book->epoch, &threads);
    pin->cells = sites.cells.items;
    pin->cell_count = sites.cells.count;
    pin->thread_cells = threads.cells.items;
    pin->thread_cell_count = threads.cells.count;
    return sites.failed || threads.failed ? -ENOMEM : 0;
}

int heap_book_pin_peak(const struct heap_book *book, struct pin *pin)
{
    pin->kind = book->of_pools ? PIN_POOL_PEAK : PIN_PEAK;
    pin->time_ns = book->totals.peak_time_ns;
    return pin_all(book, true, pin);
}

int heap_book_pin_now(const struct heap_book *book, struct pin *pin)
{
    return pin_all(book, false, pin);
}
