/* SPDX-License-Identifier: Apache-2.0 */
/* session_rate.c - how much of the heap is traced: all of it, samples, or nothing. */
#include "capture/session_parts.h"
#include "wire/arena.h"

static void note_sampled(struct quality *quality, uint64_t rate)
{
    if (rate > quality->sample_rate)
        quality->sample_rate = rate;
}

void session_rate(struct session *session, uint64_t rate, uint64_t now_ns)
{
    struct quality *quality = &session->recording->quality;
    if (rate == RATE_FULL)
        return;
    note_sampled(quality, rate);
    quality->unfollowed_bytes +=
        heap_book_forget_exact(session->heap, session_time(session, now_ns));
}

void session_note_rate(struct session *session, uint64_t now_ns)
{
    struct quality *quality = &session->recording->quality;
    uint64_t const now = session_time(session, now_ns);
    uint64_t const rate = atomic_load(&session->arena->header->rate);
    if (session->rate == RATE_OFF && now > session->rate_ns)
        quality->off_ns += now - session->rate_ns;
    if (rate == RATE_OFF && quality->off_ns == 0)
        quality->off_ns = 1; /* that it was is known at once */
    if (rate != RATE_OFF && rate != RATE_FULL)
        note_sampled(quality, rate);
    session->rate = rate;
    session->rate_ns = now;
}
