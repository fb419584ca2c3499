/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/ordering.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

#define FILTER_BITS  10
#define SEARCH_STEPS 4096 /* of the search for an order, per address and round */
#define SEARCH_MAX   256  /* events of one address */

/* Finds an order of events[0..count) that alternates, starting with `live`, and keeps each ring's
 * own; the order of time is tried first.  With a joker, one more change of state must be put
 * somewhere: an event of another ring that was booked before its turn. */
struct search {
    struct heap_event *const *events;
    size_t count; /* with the joker, which is the last */
    bool joker, joker_frees;
    bool used[SEARCH_MAX + 1];
    uint16_t order[SEARCH_MAX + 1];
    unsigned steps;
    uint32_t owner; /* of the block that is live at the start; UINT32_MAX: any */
};

struct ordering {
    struct heap_book *book;
    VEC(struct heap_event) waiting;    /* as they arrived */
    uint32_t filter[1 << FILTER_BITS]; /* waiting events by hash of address: 0 means surely none */
    uint64_t round;
    struct search search; /* of the address being settled */
};

struct ordering *ordering_create(struct heap_book *book)
{
    struct ordering *ordering = calloc(1, sizeof(*ordering));
    if (ordering)
        ordering->book = book;
    return ordering;
}

void ordering_destroy(struct ordering *ordering)
{
    if (!ordering)
        return;
    vec_free(&ordering->waiting);
    free(ordering);
}

static uint64_t event_at(const struct heap_event *event)
{
    return event->block.address;
}

static uint32_t *filter_of(struct ordering *ordering, uint64_t address)
{
    return &ordering->filter[hash_mix(address) >> (64 - FILTER_BITS)];
}

static int try_event(struct ordering *ordering, const struct heap_event *event)
{
    if (event->kind == HEAP_RESTORE)
        return heap_book_restore(ordering->book, event_at(event), event->ring);
    return event->kind == HEAP_ALLOC ? heap_book_alloc(ordering->book, &event->block, event->slack)
                                     : heap_book_free(ordering->book, &event->freeing);
}

static bool someone_waits(struct ordering *ordering, uint64_t address)
{
    if (*filter_of(ordering, address) == 0)
        return false;
    vec_each (event, &ordering->waiting) {
        if (event_at(event) == address)
            return true;
    }
    return false;
}

int ordering_try(struct ordering *ordering, const struct heap_event *event)
{
    if (ordering->waiting.count > 0 && someone_waits(ordering, event_at(event)))
        return ordering_apply(ordering, event);
    int err = try_event(ordering, event);
    return err == 0 || err == -ENOMEM ? err : -EAGAIN;
}

int ordering_apply(struct ordering *ordering, const struct heap_event *event)
{
    uint64_t address = event_at(event);
    /* One whose address is waited for queues up; the settling finds its place. */
    int err = ordering->waiting.count > 0 && someone_waits(ordering, address)
                  ? -EAGAIN
                  : try_event(ordering, event);
    if (err == 0 || err == -ENOMEM)
        return err;
    if (!vec_push(&ordering->waiting, *event))
        return -ENOMEM;
    ordering->waiting.items[ordering->waiting.count - 1].round = ordering->round;
    ++*filter_of(ordering, address);
    return 0;
}

/* A temporary block is freed by the thread that made it, with nothing in between. */
static bool is_own_block(const struct search *search, const struct heap_event *event, size_t depth)
{
    if (depth == 0)
        return search->owner == UINT32_MAX || search->owner == event->freeing.thread;
    size_t before = search->order[depth - 1];
    if (search->joker && before == search->count - 1)
        return true; /* whose it is was settled when it came too early */
    return search->events[before]->kind != HEAP_ALLOC ||
           search->events[before]->ring == event->ring;
}

static bool may_come_next(const struct search *search, size_t at, size_t depth, bool live)
{
    if (search->used[at])
        return false;
    if (search->joker && at == search->count - 1)
        return live == search->joker_frees;
    const struct heap_event *event = search->events[at];
    if ((event->kind == HEAP_FREE) != live)
        return false;
    if (live && event->freeing.temporary && !is_own_block(search, event, depth))
        return false;
    for (size_t i = 0; i < at; i++) {
        if (!search->used[i] && search->events[i]->ring == event->ring)
            return false;
    }
    return true;
}

static bool find_order(struct search *search, size_t depth, bool live)
{
    if (depth == search->count)
        return true;
    for (size_t i = 0; i < search->count; i++) {
        if (!may_come_next(search, i, depth, live))
            continue;
        if (++search->steps > SEARCH_STEPS)
            return false;
        search->used[i] = true;
        search->order[depth] = (uint16_t)i;
        if (find_order(search, depth + 1, !live))
            return true;
        search->used[i] = false;
    }
    return false;
}

/* Books an event whatever the state: what contradicts it was lost. */
static int force_event(struct ordering *ordering, const struct heap_event *event,
                       struct quality *quality)
{
    struct heap_event forced = *event;
    forced.freeing.forced = true;
    int err = try_event(ordering, &forced);
    if (err == -EEXIST) {
        struct freeing implied = {.address = event_at(event), .time_ns = event->block.time_ns};
        heap_book_free(ordering->book, &implied);
        quality->implied_frees++;
        err = try_event(ordering, event);
    } else if (err == -ENOENT) {
        quality->unknown_frees++;
        err = 0;
    }
    return err;
}

static int book_in_order(struct ordering *ordering, const struct search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        struct heap_event event = *search->events[search->order[i]];
        event.freeing.forced = true; /* the search has checked it */
        int err = try_event(ordering, &event);
        if (err < 0)
            return err;
    }
    return 0;
}

/* An allocation was booked too early: its block stays aside until its turn. */
static int book_before_block(struct ordering *ordering, const struct search *search)
{
    struct block ahead;
    int err = 0;
    heap_book_lift(ordering->book, event_at(search->events[0]), &ahead);
    for (size_t i = 0; i < search->count && err == 0; i++) {
        size_t at = search->order[i];
        if (at == search->count - 1) {
            err = heap_book_lower(ordering->book, &ahead);
            continue;
        }
        struct heap_event event = *search->events[at];
        event.freeing.forced = true; /* the search has checked it */
        err = try_event(ordering, &event);
    }
    return err;
}

/* A free was booked too early: it took the block of the first free here, which takes its turn
 * instead. */
static int book_before_free(struct ordering *ordering, const struct search *search)
{
    const struct heap_event *first = NULL;
    for (size_t i = 0; i < search->count; i++) {
        size_t at = search->order[i];
        bool joker = at == search->count - 1;
        if (i == 0 && !joker) {
            first = search->events[at];
            continue;
        }
        if (joker && !first)
            continue; /* it had its turn after all */
        struct heap_event event = joker ? *first : *search->events[at];
        event.freeing.forced = true; /* the search has checked it */
        int err = try_event(ordering, &event);
        if (err < 0)
            return err;
    }
    return 0;
}

/* 1 when the events were booked in an order that alternates, 0 when there is none, or -errno. */
static int settle_in_order(struct ordering *ordering, struct heap_event **events, size_t count)
{
    bool live = heap_book_has(ordering->book, event_at(events[0]));
    struct search *search = &ordering->search;
    int err;
    if (count > SEARCH_MAX)
        return 0;
    memset(search, 0, sizeof(*search));
    search->events = events;
    search->count = count;
    search->owner = live ? heap_book_owner(ordering->book, event_at(events[0])) : UINT32_MAX;
    if (find_order(search, 0, live)) {
        err = book_in_order(ordering, search);
        return err < 0 ? err : 1;
    }
    memset(search, 0, sizeof(*search));
    search->events = events;
    search->count = count + 1;
    search->joker = true;
    search->joker_frees = !live;
    search->owner = UINT32_MAX;
    if (!find_order(search, 0, !live))
        return 0;
    err = live ? book_before_block(ordering, search) : book_before_free(ordering, search);
    return err < 0 ? err : 1;
}

/* All waiting events of one address.  1 when they are booked, 0 when they go on waiting. */
static int settle_address(struct ordering *ordering, struct heap_event **events, size_t count,
                          bool last, struct quality *quality)
{
    uint64_t newest = 0;
    int settled = settle_in_order(ordering, events, count);
    if (settled != 0)
        return settled;
    for (size_t i = 0; i < count; i++)
        newest = events[i]->round > newest ? events[i]->round : newest;
    if (!last && newest + 2 > ordering->round)
        return 0;
    for (size_t i = 0; i < count; i++) {
        int err = force_event(ordering, events[i], quality);
        if (err < 0)
            return err;
    }
    return 1;
}

static int compare_arrival(const void *left, const void *right)
{
    const struct heap_event *a = *(struct heap_event *const *)left;
    const struct heap_event *b = *(struct heap_event *const *)right;
    if (event_at(a) != event_at(b))
        return event_at(a) < event_at(b) ? -1 : 1;
    if (a->block.time_ns != b->block.time_ns) /* grows in every ring, so rings keep their order */
        return a->block.time_ns < b->block.time_ns ? -1 : 1;
    return a < b ? -1 : a > b; /* all in one array */
}

static void drop_settled(struct ordering *ordering)
{
    size_t kept = 0;
    for (size_t i = 0; i < ordering->waiting.count; i++) {
        struct heap_event *event = &ordering->waiting.items[i];
        if (event->ring == UINT32_MAX)
            --*filter_of(ordering, event_at(event));
        else
            ordering->waiting.items[kept++] = *event;
    }
    ordering->waiting.count = kept;
}

int ordering_settle(struct ordering *ordering, enum round_end end, struct quality *quality)
{
    size_t count = ordering->waiting.count;
    int err = 0;
    ordering->round += end != ROUND_HELD;
    if (count == 0)
        return 0;
    struct heap_event **events = malloc(count * sizeof(*events));
    if (!events)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        events[i] = &ordering->waiting.items[i];
    qsort(events, count, sizeof(*events), compare_arrival);
    for (size_t from = 0, to; from < count && err >= 0; from = to) {
        for (to = from + 1; to < count && event_at(events[to]) == event_at(events[from]); to++)
            ;
        err = settle_address(ordering, &events[from], to - from, end == ROUND_LAST, quality);
        for (size_t i = from; i < to && err == 1; i++)
            events[i]->ring = UINT32_MAX; /* settled */
    }
    free(events);
    drop_settled(ordering);
    return err < 0 ? err : 0;
}
