/* SPDX-License-Identifier: Apache-2.0 */
/* Events are lost: what is live and what the peak was become ranges, and the truth lies in them. */
#include "capture/books/heap_book.h"

#include "check.h"
#include "random.h"

#define PLACES      400u
#define TICK        16384u /* blocks know their time to 1024 */
#define LOSSY_STEPS (3u * 3500u + 3000u + 2u)

static uint64_t address_of(uint32_t place)
{
    return 0x10000 + (uint64_t)place * 4096;
}

/* A program and its recording, from which some events are missing between two times. */
struct lossy {
    struct {
        bool is_live;
        uint64_t size;
    } places[PLACES];
    uint64_t live, peak, count; /* of the program */
    uint64_t lost_bytes, lost_frees, lost_calls;
    uint64_t counts[LOSSY_STEPS]; /* by time in TICKs */
};

static void lossy_step(struct lossy *lossy, struct heap_book *book, struct random *random,
                       uint64_t now, bool loses)
{
    uint32_t const place = (uint32_t)random_below(random, PLACES);
    bool const lost = loses && random_below(random, 3) > 0;
    uint64_t const address = address_of(place);
    if (lossy->places[place].is_live) {
        lossy->live -= lossy->places[place].size;
        lossy->places[place].is_live = false;
        lossy->counts[now / TICK] = --lossy->count;
        lossy->lost_frees += lost;
        struct freeing const freeing = {.address = address, .time_ns = now};
        if (!lost)
            (void)heap_book_free(book, &freeing);
        return;
    }
    uint64_t const size = 1 + random_below(random, 5000);
    struct block const block = {.address = address, .size = size, .time_ns = now};
    lossy->places[place].is_live = true;
    lossy->places[place].size = size;
    lossy->live += size;
    if (lossy->live > lossy->peak)
        lossy->peak = lossy->live;
    lossy->counts[now / TICK] = ++lossy->count;
    lossy->lost_bytes += lost ? size : 0;
    lossy->lost_calls += lost;
    if (!lost)
        CHECK(heap_book_alloc(book, &block) >= 0);
}

static void check_lossy_counts(const struct lossy *lossy, const struct heap_book *book)
{
    struct totals totals;
    uint64_t live_doubt, peak_doubt;
    uint64_t const live = (uint64_t)heap_book_live_count(book);
    heap_book_totals(book, &totals);
    heap_book_doubted_calls(book, &live_doubt, &peak_doubt);
    uint64_t const then = lossy->counts[totals.peak_time_ns / TICK];
    CHECK(live_doubt <= live && live - live_doubt <= lossy->count);
    CHECK(lossy->count <= live + lossy->lost_calls);
    CHECK(peak_doubt <= totals.peak_count && totals.peak_count - peak_doubt <= then);
    CHECK(then <= totals.peak_count + lossy->lost_calls);
}

/* Whatever is lost, the truth lies in the range. */
TEST(ranges_hold_the_truth_whatever_is_lost)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random random = random_from(seed);
        static struct lossy lossy;
        lossy = (struct lossy){.live = 0};
        struct heap_book *book = heap_book_create();
        struct totals totals;
        uint64_t now = TICK, live_doubt, peak_doubt;
        CHECK(book && heap_book_reserve(book, 1, 1) == 0);
        for (unsigned gap = 0; gap < 1 + random_below(&random, 3); gap++) {
            for (uint64_t i = random_below(&random, 3000); i > 0; i--)
                lossy_step(&lossy, book, &random, now += TICK, false);
            heap_book_totals(book, &totals);
            uint64_t const begin = now + 1, before = totals.peak_bytes;
            for (uint64_t i = random_below(&random, 500); i > 0; i--)
                lossy_step(&lossy, book, &random, now += TICK, true);
            heap_book_doubt(book, begin, now, before);
        }
        for (uint64_t i = random_below(&random, 3000); i > 0; i--)
            lossy_step(&lossy, book, &random, now += TICK, false);
        heap_book_totals(book, &totals);
        heap_book_doubts(book, &live_doubt, &peak_doubt);
        uint64_t const live = totals.bytes - totals.freed_bytes;
        CHECK(live_doubt <= live && live - live_doubt <= lossy.live);
        CHECK(lossy.live <= live + lossy.lost_bytes);
        CHECK(totals.peak_bytes - peak_doubt <= lossy.peak);
        CHECK(lossy.peak <= totals.peak_bytes + lossy.lost_bytes);
        check_lossy_counts(&lossy, book);
        heap_book_destroy(book);
    }
}

/* Threads with a ring each, from which all events are missing between two times that each of
 * them tells when it has room again: by then the others have told of later times, or not yet of
 * earlier ones. */
#define LOSSY_THREADS 4u
#define LOSSY_PLACES  64u
#define LOSSY_EVENTS  2000u

struct lossy_event {
    enum { LOSSY_MADE, LOSSY_FREED, LOSSY_GAP } kind;
    uint64_t address, size, time_ns, begin_ns;
};

struct lossy_thread {
    uint64_t sizes[LOSSY_PLACES]; /* 0: not live */
    uint64_t gap_begin_ns;        /* 0: none */
    struct lossy_event events[2 * LOSSY_EVENTS];
    unsigned count, told;
};

struct lossy_threads {
    struct lossy_thread threads[LOSSY_THREADS];
    uint64_t live, peak, lost_bytes;
    uint64_t first_gap_ns, peak_before; /* of the program, before anything was lost */
};

static void lossy_tell(struct lossy_thread *thread, struct lossy_event event)
{
    if (!thread->gap_begin_ns)
        thread->events[thread->count++] = event;
}

static void lossy_switch(struct lossy_threads *all, struct lossy_thread *thread, uint64_t now)
{
    struct lossy_event const gap = {
        .kind = LOSSY_GAP, .time_ns = now, .begin_ns = thread->gap_begin_ns};
    if (thread->gap_begin_ns) {
        thread->gap_begin_ns = 0;
        lossy_tell(thread, gap);
        return;
    }
    thread->gap_begin_ns = now;
    if (!all->first_gap_ns) {
        all->first_gap_ns = now;
        all->peak_before = all->peak;
    }
}

static void lossy_live(struct lossy_threads *all, struct random *random, uint64_t now)
{
    unsigned const number = (unsigned)random_below(random, LOSSY_THREADS);
    unsigned const place = (unsigned)random_below(random, LOSSY_PLACES);
    struct lossy_thread *thread = &all->threads[number];
    struct lossy_event event = {.address = address_of(number * LOSSY_PLACES + place),
                                .time_ns = now};
    if (random_below(random, 200) == 0)
        lossy_switch(all, thread, now++);
    event.size = thread->sizes[place] ? 0 : 1 + random_below(random, 5000);
    event.kind = thread->sizes[place] ? LOSSY_FREED : LOSSY_MADE;
    all->live += event.size - thread->sizes[place];
    all->lost_bytes += thread->gap_begin_ns ? event.size : 0;
    thread->sizes[place] = event.size;
    if (all->live > all->peak)
        all->peak = all->live;
    lossy_tell(thread, event);
}

static void lossy_book(const struct lossy_threads *all, struct heap_book *book,
                       const struct lossy_event *event)
{
    struct block const block = {
        .address = event->address, .size = event->size, .time_ns = event->time_ns};
    struct freeing const freeing = {.address = event->address, .time_ns = event->time_ns};
    if (event->kind == LOSSY_MADE)
        CHECK(heap_book_alloc(book, &block) >= 0);
    else if (event->kind == LOSSY_FREED)
        (void)heap_book_free(book, &freeing);
    else
        heap_book_doubt(book, event->begin_ns, event->time_ns, all->peak_before);
}

/* The thread whose event is booked next: the earliest, or any. */
static struct lossy_thread *lossy_next(struct lossy_threads *all, struct random *random)
{
    struct lossy_thread *next = NULL;
    unsigned const any = random ? (unsigned)random_below(random, LOSSY_THREADS) : 0;
    for (unsigned i = 0; i < LOSSY_THREADS; i++) {
        struct lossy_thread *thread = &all->threads[(i + any) % LOSSY_THREADS];
        if (thread->told < thread->count &&
            (!next ||
             (!random && thread->events[thread->told].time_ns < next->events[next->told].time_ns)))
            next = thread;
    }
    return next;
}

static void check_lossy_threads(struct lossy_threads *all, struct random *random, bool in_order)
{
    struct heap_book *book = heap_book_create();
    struct totals totals;
    struct lossy_thread *next;
    uint64_t live_doubt, peak_doubt;
    CHECK(book && heap_book_reserve(book, 1, 1) == 0);
    while ((next = lossy_next(all, in_order ? NULL : random)))
        lossy_book(all, book, &next->events[next->told++]);
    heap_book_totals(book, &totals);
    heap_book_doubts(book, &live_doubt, &peak_doubt);
    uint64_t const live = totals.bytes - totals.freed_bytes;
    CHECK(live_doubt <= live && live - live_doubt <= all->live);
    CHECK(all->live <= live + all->lost_bytes);
    CHECK(!in_order || totals.peak_bytes - peak_doubt <= all->peak);
    heap_book_destroy(book);
}

TEST(ranges_hold_the_truth_when_threads_tell_late_what_they_lost)
{
    static struct lossy_threads all;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random random = random_from(seed);
        uint64_t now = TICK;
        all = (struct lossy_threads){.live = 0};
        for (unsigned i = 0; i < LOSSY_EVENTS; i++)
            lossy_live(&all, &random, now += TICK / (1 + random_below(&random, 3)));
        for (unsigned i = 0; i < LOSSY_THREADS; i++)
            if (all.threads[i].gap_begin_ns)
                lossy_switch(&all, &all.threads[i], now += TICK);
        check_lossy_threads(&all, &random, seed % 2);
    }
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_hold_the_truth_whatever_is_lost),
        cmocka_unit_test(ranges_hold_the_truth_when_threads_tell_late_what_they_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
