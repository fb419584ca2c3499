/* SPDX-License-Identifier: Apache-2.0 */
/* heap_book_doubts.c - how far the numbers of a heap book may be off, and whether they agree. */
#include "capture/books/heap_book_parts.h"

/* Calls of one bucket go round at 2^32. */
static bool is_sum(const struct heap_book *book, struct level sum)
{
    return sum.bytes == book->live_bytes && sum.slack == book->live_slack &&
           (uint32_t)sum.count == (uint32_t)book->live_count;
}

bool heap_book_is_valid(const struct heap_book *book)
{
    bool const counts_table = !book->of_pools && !book->rates;
    return heap_book_sums_agree(book) && is_sum(book, ledger_sum(&book->sites)) &&
           is_sum(book, ledger_sum(&book->threads)) &&
           (!counts_table || (uint64_t)book->live_count == block_table_count(book->blocks));
}

/* Frees were lost between these times; all that is live is in `bytes` from then on. */
static void doubt_gap(struct live_doubt *doubt, uint64_t begin_ns, uint64_t end_ns,
                      uint64_t peak_before)
{
    uint64_t const until = (end_ns >> BLOCK_TIME_SHIFT) + 1;
    if (doubt->until == 0 || begin_ns < doubt->first_ns) {
        doubt->first_floor = peak_before;
        doubt->first_ns = begin_ns;
    }
    if (doubt->floor_ns == 0 || doubt->floor_ns >= begin_ns) {
        doubt->peak_floor = doubt->first_floor;
        doubt->floor_ns = 0;
    }
    if (until > doubt->until)
        doubt->until = until;
}

void heap_book_doubt(struct heap_book *book, uint64_t begin_ns, uint64_t end_ns,
                     uint64_t peak_before)
{
    doubt_gap(&book->doubt, begin_ns, end_ns, peak_before);
    book->doubt.bytes = book->live_bytes;
    book->doubt.count = book->live_count;
    if (begin_ns <= book->totals.peak_time_ns)
        book->doubt.peak_count = book->totals.peak_count;
}

static uint64_t doubt_of_peak(const struct live_doubt *doubt, uint64_t peak)
{
    return doubt->until && peak > doubt->peak_floor ? peak - doubt->peak_floor : 0;
}

void heap_book_doubts(const struct heap_book *book, uint64_t *live, uint64_t *peak)
{
    *live = doubt_of_live(&book->doubt, book->doubt.bytes, book->live_bytes);
    *peak = doubt_of_peak(&book->doubt, book->totals.peak_bytes);
}

void heap_book_doubted_calls(const struct heap_book *book, uint64_t *live, uint64_t *peak)
{
    *live = doubt_of_live(&book->doubt, book->doubt.count, book->live_count);
    *peak = book->doubt.peak_count;
}

void heap_book_spreads(const struct heap_book *book, uint64_t *live, uint64_t *peak)
{
    *live = book->live_spread;
    *peak = book->peak_spread;
}

void heap_book_call_spreads(const struct heap_book *book, uint64_t *live, uint64_t *peak)
{
    *live = book->live_call_spread;
    *peak = book->peak_call_spread;
}
