/* SPDX-License-Identifier: Apache-2.0 */
/* session_losses.c - what was not recorded one by one: lost at a full ring, or left out on
 * purpose; and which numbers are in doubt because of that. */
#include "capture/sessions/session_parts.h"

void session_lost(struct session *session, uint64_t events)
{
    session->recording->quality.lost_events += events;
    session->books->bucket_lost += events;
}

/* The highest that live memory was before a time, as far as the buckets tell. */
static uint64_t peak_before(const struct session *session, uint64_t time_ns)
{
    struct totals totals;
    int64_t highest = 0;
    heap_book_totals(session->books->heap, &totals);
    if (totals.peak_time_ns < time_ns)
        return totals.peak_bytes;
    vec_each (bucket, &session->recording->buckets)
        if (bucket->end_ns <= time_ns && bucket->gauges.heap_live_max > highest)
            highest = bucket->gauges.heap_live_max;
    return (uint64_t)highest;
}

void session_gap(struct session *session, const struct session_gap *gap)
{
    struct quality *quality = &session->recording->quality;
    uint64_t const begin = session_time(session, gap->begin_ns);
    uint64_t const end = session_time(session, gap->end_ns);
    quality->lost_calls += gap->calls;
    quality->lost_bytes += gap->bytes;
    quality->lost_frees += gap->frees;
    quality->gaps++;
    if (end > begin && end - begin > quality->longest_gap_ns)
        quality->longest_gap_ns = end - begin;
    session_lost(session, gap->events);
    session->books->told_events += gap->events;
    session->books->told_frees += gap->frees;
    if (gap->frees > 0)
        heap_book_doubt(session->books->heap, begin, end, peak_before(session, begin));
}

void session_thinned(struct session *session, uint64_t rate)
{
    struct quality *quality = &session->recording->quality;
    if (rate > quality->sample_rate)
        quality->sample_rate = rate;
    session->books->is_thinned = true;
}

bool session_is_thinned(const struct session *session)
{
    return session->books->is_thinned;
}

void session_count(struct session *session, const struct session_counts *counts)
{
    session->books->counts = *counts;
}

/* What is no longer live of so much. */
static uint64_t gone_of(uint64_t made, int64_t live)
{
    return live < 0 ? made : (uint64_t)live < made ? made - (uint64_t)live : 0;
}

/* Blocks that a child was born with, or that were there before we were, are freed, too, but were
 * never counted as allocated. */
static bool inherits(const struct session *session)
{
    return session->books->process.forked || session->recording->before.attached;
}

/* Single events may be missing from the books; the counters of the threads missed none. */
static void set_exact_totals(struct session *session, const struct totals *exact)
{
    struct totals *heap = &session->recording->heap;
    struct quality *quality = &session->recording->quality;
    uint64_t const calls = exact->calls + session->books->inherited.calls;
    uint64_t const bytes = exact->bytes + session->books->inherited.bytes;
    uint64_t const seen = heap->frees + quality->unknown_frees;
    uint64_t const inherited = inherits(session) ? quality->unknown_frees : 0;
    if (calls > heap->calls) {
        quality->lost_calls = calls - heap->calls;
        quality->lost_bytes = bytes > heap->bytes ? bytes - heap->bytes : 0;
        heap->freed_bytes += quality->lost_bytes; /* what is live is what the books say is */
        heap->calls = calls;
        heap->bytes = bytes;
    }
    if (exact->frees + quality->implied_frees > seen)
        quality->lost_frees = exact->frees + quality->implied_frees - seen;
    if (exact->frees > heap->frees + inherited)
        heap->frees = exact->frees - inherited;
}

/* The books have estimates of what the threads counted; and frees of blocks that were left out
 * look like those of blocks from before: only more of them than were left out are known to be
 * from before. */
void session_settle_thinned(struct session *session)
{
    struct totals *heap = &session->recording->heap;
    struct quality *quality = &session->recording->quality;
    const struct session_counts *counts = &session->books->counts;
    uint64_t const unknown = quality->unknown_frees + quality->left_out_frees;
    quality->thinned_calls = counts->thinned_calls;
    quality->thinned_bytes = counts->thinned_bytes;
    quality->left_out_frees = unknown < counts->thinned_calls ? unknown : counts->thinned_calls;
    quality->unknown_frees = unknown - quality->left_out_frees;
    if (counts->exact.calls == 0)
        return; /* nobody has looked yet */
    struct totals booked;
    heap_book_totals(session->books->heap, &booked);
    heap->calls = counts->exact.calls + session->books->inherited.calls;
    heap->bytes = counts->exact.bytes + session->books->inherited.bytes;
    heap->freed_bytes = gone_of(heap->bytes, (int64_t)(booked.bytes - booked.freed_bytes));
    heap->frees = inherits(session)
                      ? gone_of(heap->calls, heap_book_live_count(session->books->heap))
                      : counts->exact.frees;
}

void session_copy_doubts(struct session *session)
{
    struct quality *quality = &session->recording->quality;
    const struct heap_book *heap = session->books->heap;
    heap_book_doubts(heap, &quality->live_doubt_bytes, &quality->peak_doubt_bytes);
    heap_book_doubted_calls(heap, &quality->live_doubt_calls, &quality->peak_doubt_calls);
    heap_book_spreads(heap, &quality->live_spread, &quality->peak_spread);
    heap_book_call_spreads(heap, &quality->live_call_spread, &quality->peak_call_spread);
    quality->has_spread = quality->sample_rate != 0;
}

/* Frees that nobody told the time of may be of any block; and events of which nobody told
 * anything may be frees. */
static void settle_doubts(struct session *session)
{
    struct quality *quality = &session->recording->quality;
    struct totals booked;
    int64_t const live = heap_book_live_count(session->books->heap);
    heap_book_totals(session->books->heap, &booked);
    session_copy_doubts(session);
    if (quality->lost_frees > session->books->told_frees ||
        quality->lost_events > session->books->told_events) {
        quality->live_doubt_bytes = booked.bytes - booked.freed_bytes;
        quality->peak_doubt_bytes = booked.peak_bytes;
        quality->live_doubt_calls = live > 0 ? (uint64_t)live : 0;
        quality->peak_doubt_calls = booked.peak_count;
    } else if (quality->lost_frees == 0) {
        quality->live_doubt_bytes = quality->peak_doubt_bytes = 0;
        quality->live_doubt_calls = quality->peak_doubt_calls = 0;
    }
}

void session_settle_totals(struct session *session, const struct session_end *end)
{
    struct recording *recording = session->recording;
    struct quality *quality = &recording->quality;
    if (end->counts.exact.calls > 0) /* else nobody could: as of the last look */
        session->books->counts = end->counts;
    if (session->books->is_thinned)
        session_settle_thinned(session);
    else if (quality->sample_rate == 0) /* else threads counted what they took */
        set_exact_totals(session, &end->counts.exact);
    if (end->pools.calls > recording->pools.calls) {
        recording->pools.calls = end->pools.calls;
        recording->pools.bytes = end->pools.bytes;
    }
    if (end->lost_events > quality->lost_events)
        quality->lost_events = end->lost_events;
    settle_doubts(session);
}
