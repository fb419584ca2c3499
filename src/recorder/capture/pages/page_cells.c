/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/page_cells.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "base/human.h"

#define UNTOLD_LEAST 65536u /* bytes that are worth a sentence */

static struct page_told *find_told(struct page_cells *cells, uint32_t pid)
{
    vec_each (told, &cells->told)
        if (told->pid == pid)
            return told;
    if (!vec_push(&cells->told, (struct page_told){.pid = pid}))
        return NULL;
    return &cells->told.items[cells->told.count - 1];
}

/* Adds what is new of the sums to those of the recording, which others add to as well. */
static void tell_quality(struct page_told *told, const struct watched_pages *state,
                         struct recording *recording, struct bucket *bucket)
{
    const struct page_watch_sums *sums = &state->sums;
    struct quality *quality = &recording->quality;
    quality->events += sums->faults - told->faults;
    quality->lost_events += sums->lost - told->lost;
    bucket->lost_events += sums->lost - told->lost;
    for (unsigned end = 0; end < STACK_END_KINDS; end++) {
        quality_add_stacks(quality, STACK_SOURCE_PAGES, (enum stack_end)end,
                           sums->stack_ends[end] - told->stack_ends[end]);
        told->stack_ends[end] = sums->stack_ends[end];
    }
    told->faults = sums->faults;
    told->lost = sums->lost;
    if (state->gaps > told->gaps)
        recording_note(
            recording,
            "the agent was gone for a while from %.1f s on: pages touched meanwhile have no stack",
            (double)bucket->begin_ns / 1e9);
    told->gaps = state->gaps;
}

/* The last look, on the clock of the recording, whose bucket ends now. */
static void tell_residency(const struct page_watch_sums *sums, struct recording *recording,
                           const struct bucket *bucket)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t const ago = timespec_ns(&now) - sums->looked_ns;
    uint64_t walked = 0;
    for (unsigned kind = 0; kind < PAGE_KINDS_RESIDENT; kind++)
        walked += sums->bytes[kind];
    if (sums->looks == 0 || sums->looks == recording->residency.looks)
        return;
    recording->residency = (struct residency){
        .looks = sums->looks,
        .time_ns = bucket->end_ns > ago ? bucket->end_ns - ago : 1,
        .walked_bytes = walked - sums->touched,
        .rss_before_bytes = sums->before.rss_bytes > 0 ? (uint64_t)sums->before.rss_bytes : 0,
        .rss_after_bytes = sums->after.rss_bytes > 0 ? (uint64_t)sums->after.rss_bytes : 0,
        .took_ns = sums->took_ns};
}

static int collect(void *self, uint32_t pid, struct recording *recording, struct bucket *bucket,
                   uint64_t began_ns)
{
    (void)began_ns;
    struct page_cells *cells = self;
    struct page_told *told = find_told(cells, pid);
    struct watched_pages state;
    if (!told)
        return -ENOMEM;
    int err = page_station_collect(cells->station, pid, recording, bucket, &state);
    if (err == 0)
        tell_quality(told, &state, recording, bucket);
    if (err == 0 && cells->is_alone)
        tell_residency(&state.sums, recording, bucket);
    return err == -ESRCH ? 0 : err; /* a process that nobody watches has no pages to tell of */
}

static void look(void *self, uint32_t pid)
{
    (void)page_station_look_now(((struct page_cells *)self)->station, pid);
}

static uint32_t find_toucher(const void *book, uint64_t address)
{
    const struct page_book *pages = book;
    const struct page_key *key = page_book_find(pages, address);
    if (key)
        return key->stack;
    return pages->is_whole || pages->has_looked ? PAGES_NO_FAULT : PAGES_BEFORE;
}

struct visiting {
    touchers_fn call;
    void *context;
};

static int visit_book(void *context, struct page_watch *watch, const struct recording *stacks)
{
    struct visiting const *visiting = context;
    (void)stacks;
    return visiting->call(visiting->context, &(struct touchers){&watch->book, find_toucher});
}

static int with_touchers(void *self, uint32_t pid, touchers_fn call, void *context)
{
    struct visiting visiting = {call, context};
    return page_station_visit(((struct page_cells *)self)->station, pid, true, visit_book,
                              &visiting);
}

struct carrying {
    struct recording *recording;
    struct found_cells *cells;
    struct bucket *bucket;
};

static int visit_carry(void *context, struct page_watch *watch, const struct recording *stacks)
{
    struct carrying const *carrying = context;
    return page_carry(&watch->carry, stacks, carrying->recording, carrying->cells->items.items,
                      carrying->cells->items.count, carrying->bucket);
}

static int carry(void *self, uint32_t pid, struct recording *recording, struct found_cells *cells,
                 struct bucket *bucket)
{
    struct carrying carrying = {recording, cells, bucket};
    return page_station_visit(((struct page_cells *)self)->station, pid, false, visit_carry,
                              &carrying);
}

static void forget(void *self, uint32_t pid)
{
    page_station_forget(((struct page_cells *)self)->station, pid);
}

/* The last rows are those of the last look then. */
static void say_untold(struct recording *recording, const struct page_watch_sums *sums)
{
    char untold[HUMAN_MAX], at_end[HUMAN_MAX];
    human_bytes(sums->untold, untold);
    human_bytes(sums->exit_bytes, at_end);
    if (sums->exit_bytes > 0)
        recording_note(recording,
                       "the program touched %s after the last snapshot of its pages and gave some "
                       "of them back before it ended: none of them are in the rows; the kernel "
                       "counted %s when it ended",
                       untold, at_end);
    else
        recording_note(recording,
                       "the program touched %s after the last snapshot of its pages: they are not "
                       "in the rows, because it is not known how many were resident when it ended",
                       untold);
}

/* The sentences for the quality part of its reports. */
static void say_quality(const struct page_cells *cells, uint32_t pid, struct recording *recording)
{
    struct watched_pages state;
    char walked[HUMAN_MAX], counted[HUMAN_MAX];
    if (!page_station_state(cells->station, pid, &state))
        return;
    const struct page_watch_sums *sums = &state.sums;
    uint64_t resident = 0;
    for (unsigned kind = 0; kind < PAGE_KINDS_RESIDENT; kind++)
        resident += sums->bytes[kind];
    human_bytes(resident - sums->touched, walked);
    human_bytes(sums->after.rss_bytes > 0 ? (uint64_t)sums->after.rss_bytes : 0, counted);
    if (sums->looks > 0)
        recording_note(
            recording,
            "pages at the last of %llu snapshots: %s by the page tables, %s by the kernel's count",
            (unsigned long long)sums->looks, walked, counted);
    if (sums->touched > 0)
        recording_note(recording,
                       "the program ended before the next snapshot of its pages: %s that it had "
                       "touched count as resident, even if it gave some back, and written pages "
                       "count as anonymous, even if they were shared memory",
                       human_bytes((int64_t)sums->touched, walked));
    if (sums->untold >= UNTOLD_LEAST)
        say_untold(recording, sums);
    if (sums->assumed > 0)
        recording_note(
            recording,
            "%llu faults were counted for a stack that was still being copied, without a "
            "comparison",
            (unsigned long long)sums->assumed);
    if (sums->stack_ends[STACK_END_NOT_TAKEN] > 0)
        recording_note(recording,
                       "%llu faults have no stack: too many new stacks at once, or memory that "
                       "cannot be read",
                       (unsigned long long)sums->stack_ends[STACK_END_NOT_TAKEN]);
    if (sums->children_missed > 0)
        recording_note(recording,
                       "%llu child processes ended before memoir saw anything of them, and have no "
                       "recording",
                       (unsigned long long)sums->children_missed);
}

static int watch(void *self, uint32_t pid, bool is_whole, struct fault *fault)
{
    return page_station_watch(((struct page_cells *)self)->station, pid, is_whole, fault);
}

static bool ask_state(void *self, uint32_t pid, struct outside_state *state)
{
    struct watched_pages now;
    if (!page_station_state(((struct page_cells *)self)->station, pid, &now))
        return false;
    *state = (struct outside_state){now.has_ended, now.has_execed};
    return true;
}

static uint32_t next_child(void *self)
{
    return page_station_next_child(((struct page_cells *)self)->station);
}

static void conclude(void *self, uint32_t pid, struct recording *recording)
{
    struct page_cells *cells = self;
    (void)page_station_look_now(cells->station, pid);
    say_quality(cells, pid, recording);
}

void page_cells_init(struct page_cells *cells, struct page_station *station)
{
    *cells = (struct page_cells){
        .source = {cells, collect, look, with_touchers, carry, conclude, forget},
        .watch = {cells, &cells->source, watch, ask_state, next_child},
        .station = station};
}

void page_cells_fini(struct page_cells *cells)
{
    vec_free(&cells->told);
}
