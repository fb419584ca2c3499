/* SPDX-License-Identifier: Apache-2.0 */
/* session_rate.c - how much of the heap is traced: all of it, samples, or nothing. */
#include "capture/sessions/session_parts.h"

/* Blocks that are looked at to forget those of them that nobody follows any more. */
#define LOOKS_AT_ONCE  (64ull << 20)
#define LOOKS_PER_TICK (16ull << 20)

static void note_sampled(struct quality *quality, uint64_t rate)
{
    if (rate > quality->sample_rate)
        quality->sample_rate = rate;
}

static void forget_exact(struct session *session, uint64_t now)
{
    session->books->has_unfollowed = false;
    session->recording->quality.unfollowed_bytes +=
        heap_book_forget_exact(session->books->heap, now);
}

/* A program that tells of new rates all the time makes us look at all of its blocks no more
 * often than this. */
static void forget_if_allowed(struct session *session, uint64_t now)
{
    session->books->looks_allowed.most = LOOKS_AT_ONCE;
    if (session->books->has_unfollowed &&
        allowance_try_spend(&session->books->looks_allowed,
                            heap_book_visit_cost(session->books->heap)))
        forget_exact(session, now);
}

void session_rate(struct session *session, uint64_t rate, uint64_t now_ns)
{
    if (rate == RATE_FULL)
        return;
    note_sampled(&session->recording->quality, rate);
    session->books->has_unfollowed = true;
    forget_if_allowed(session, session_time(session, now_ns));
}

void session_tick_rate(struct session *session, uint64_t now)
{
    allowance_add(&session->books->looks_allowed, LOOKS_PER_TICK);
    forget_if_allowed(session, now);
}

void session_end_rate(struct session *session, uint64_t now)
{
    if (session->books->has_unfollowed)
        forget_exact(session, now);
}

void session_note_rate(struct session *session, uint64_t now_ns)
{
    struct quality *quality = &session->recording->quality;
    uint64_t const now = session_time(session, now_ns);
    uint64_t const rate = shared_get(session->books->arena->memory, rate);
    if (session->books->rate == RATE_OFF && now > session->books->rate_ns)
        quality->off_ns += now - session->books->rate_ns;
    if (rate == RATE_OFF && quality->off_ns == 0)
        quality->off_ns = 1; /* that it was is known at once */
    if (rate != RATE_OFF && rate != RATE_FULL)
        note_sampled(quality, rate);
    session->books->rate = rate;
    session->books->rate_ns = now;
}
