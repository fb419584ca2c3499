/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/ordering.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/event.h"

/* Set once there was an event: a group that none was booked of costs no memory. */
#define NUMBER_SEEN 0x8000u

struct ordering {
    struct heap_book *book;
    uint16_t unseen;             /* what an empty `last` means: a number, or NUMBER_UNKNOWN */
    uint16_t last[EVENT_GROUPS]; /* number of the newest event booked, by group of addresses */
};
#define NUMBER_UNKNOWN 0xffffu

struct ordering *ordering_create(struct heap_book *book, bool begins_anew)
{
    struct ordering *ordering = calloc(1, sizeof(*ordering));
    if (!ordering)
        return NULL;
    ordering->book = book;
    ordering->unseen = begins_anew ? NUMBER_SEEN : NUMBER_UNKNOWN;
    return ordering;
}

void ordering_destroy(struct ordering *ordering)
{
    free(ordering);
}

static int book(struct ordering *ordering, const struct heap_event *event)
{
    switch (event->kind) {
    case HEAP_ALLOC:
        return heap_book_alloc(ordering->book, &event->block);
    case HEAP_FREE:
        return heap_book_free(ordering->book, &event->freeing);
    case HEAP_RESTORE:
        return heap_book_restore(ordering->book, event->block.address, event->ring,
                                 event->block.time_ns);
    case HEAP_PAIR:
        heap_book_pair(ordering->book, &event->block);
        break;
    case HEAP_SKIP:
        break;
    }
    return 0;
}

/* Books an event that has its turn. */
static int book_turn(struct ordering *ordering, const struct heap_event *event,
                     struct quality *quality)
{
    int err = book(ordering, event);
    if (err > 0)
        quality->implied_frees++;
    else if (err == -ENOENT)
        quality->unknown_frees++;
    else
        return err;
    return 0;
}

int ordering_book(struct ordering *ordering, const struct heap_event *event, bool now,
                  struct quality *quality)
{
    uint16_t *place = &ordering->last[event_group(event->block.address)];
    uint16_t last = *place ? *place : ordering->unseen;
    if (event->kind == HEAP_RESTORE)
        return book_turn(ordering, event, quality);
    /* 1: next; 0 or in the upper half: repeats, or comes late, and must not take the count back. */
    uint32_t steps = last == NUMBER_UNKNOWN ? 1 : (event->sequence - last) & EVENT_SEQUENCE_MASK;
    bool ahead = steps >= 1 && steps <= EVENT_SEQUENCE_MASK / 2;
    if (ahead && steps > 1 && !now)
        return (int)steps - 1;
    int err = book_turn(ordering, event, quality);
    if (err == 0 && ahead)
        *place =
            NUMBER_SEEN | ((event->sequence + (event->kind == HEAP_PAIR)) & EVENT_SEQUENCE_MASK);
    return err;
}

void ordering_prefetch(const struct ordering *ordering, uint64_t address)
{
    __builtin_prefetch(&ordering->last[event_group(address)]);
    heap_book_prefetch(ordering->book, address);
}
