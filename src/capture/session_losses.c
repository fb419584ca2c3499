/* SPDX-License-Identifier: Apache-2.0 */
/* session_losses.c - what was not recorded one by one: lost at a full ring, or left out on purpose; and which numbers are
 * in doubt because of that. */
#include "capture/session_parts.h"

void session_lost(struct session *session, uint64_t events)
{
    session->recording->quality.lost_events += events;
    session->bucket_lost += events;
}

/* The highest that live memory was before a time, as far as the buckets tell. */
static uint64_t peak_before(const struct session *session, uint64_t time_ns)
{
    struct totals totals;
    int64_t highest = 0;
    heap_book_totals(session->heap, &totals);
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
    if (gap->frees > 0)
        heap_book_doubt(session->heap, begin, end, peak_before(session, begin));
}

void session_thinned(struct session *session, uint64_t rate)
{
    struct quality *quality = &session->recording->quality;
    if (rate > quality->sample_rate)
        quality->sample_rate = rate;
    session->is_thinned = true;
}

static uint64_t within_calls(int64_t live, uint64_t calls)
{
    return live < 0 ? 0 : (uint64_t)live < calls ? (uint64_t)live : calls;
}

/* Single events may be missing from the books; the counters of the threads missed none.  Blocks that a child was born
 * with, or that were there before we were, are freed, too, but were never counted as allocated. */
static void set_exact_totals(struct session *session, const struct totals *exact)
{
    struct totals *heap = &session->recording->heap;
    struct quality *quality = &session->recording->quality;
    bool const inherits = session->process.forked || session->recording->before.attached;
    uint64_t const calls = exact->calls + session->inherited.calls;
    uint64_t const bytes = exact->bytes + session->inherited.bytes;
    uint64_t const seen = heap->frees + quality->unknown_frees;
    uint64_t const inherited = inherits ? quality->unknown_frees : 0;
    if (!session->is_thinned && calls > heap->calls) {
        quality->lost_calls = calls - heap->calls;
        quality->lost_bytes = bytes > heap->bytes ? bytes - heap->bytes : 0;
    }
    if (!session->is_thinned && exact->frees + quality->implied_frees > seen)
        quality->lost_frees = exact->frees + quality->implied_frees - seen;
    if (calls > heap->calls || session->is_thinned) {
        heap->calls = calls;
        heap->bytes = bytes;
    }
    if (session->is_thinned &&
        inherits) /* frees of blocks that were left out look like those of earlier ones */
        heap->frees = calls - within_calls(heap_book_live_count(session->heap), calls);
    else if (session->is_thinned || exact->frees > heap->frees + inherited)
        heap->frees = exact->frees - inherited;
}

/* Frees that nobody told the time of may be of any block. */
static void settle_doubts(struct session *session)
{
    struct quality *quality = &session->recording->quality;
    struct totals booked;
    heap_book_totals(session->heap, &booked);
    heap_book_doubts(session->heap, &quality->live_doubt_bytes, &quality->peak_doubt_bytes);
    if (quality->lost_frees > 0 && quality->live_doubt_bytes == 0 &&
        quality->peak_doubt_bytes == 0) {
        quality->live_doubt_bytes = booked.bytes - booked.freed_bytes;
        quality->peak_doubt_bytes = booked.peak_bytes;
    }
    if (quality->lost_frees == 0)
        quality->live_doubt_bytes = quality->peak_doubt_bytes = 0;
}

void session_settle_totals(struct session *session, const struct session_end *end)
{
    struct recording *recording = session->recording;
    struct quality *quality = &recording->quality;
    if (session->is_thinned) {
        quality->thinned_calls = end->thinned_calls;
        quality->thinned_bytes = end->thinned_bytes;
    }
    if (quality->sample_rate == 0 || session->is_thinned) /* else threads counted what they took */
        set_exact_totals(session, &end->exact);
    if (session->is_thinned) /* of blocks that were left out */
        quality->unknown_frees -= quality->unknown_frees < quality->thinned_calls
                                      ? quality->unknown_frees
                                      : quality->thinned_calls;
    if (end->pools.calls > recording->pools.calls) {
        recording->pools.calls = end->pools.calls;
        recording->pools.bytes = end->pools.bytes;
    }
    if (end->lost_events > quality->lost_events)
        quality->lost_events = end->lost_events;
    settle_doubts(session);
}
