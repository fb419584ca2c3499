/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/ordering.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/event.h"

#define NUMBER_UNKNOWN 0xff

struct ordering {
    struct heap_book *book;
    uint8_t last[EVENT_GROUPS]; /* number of the newest event booked, by group of addresses */
};

struct ordering *ordering_create(struct heap_book *book, bool begins_anew)
{
    struct ordering *ordering = calloc(1, sizeof(*ordering));
    if (!ordering)
        return NULL;
    ordering->book = book;
    if (!begins_anew)
        memset(ordering->last, NUMBER_UNKNOWN, sizeof(ordering->last));
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
        return heap_book_alloc(ordering->book, &event->block, event->slack);
    case HEAP_FREE:
        return heap_book_free(ordering->book, &event->freeing);
    case HEAP_RESTORE:
        return heap_book_restore(ordering->book, event->block.address, event->ring,
                                 event->block.time_ns);
    case HEAP_SKIP:
        break;
    }
    return 0;
}

int ordering_try(struct ordering *ordering, const struct heap_event *event)
{
    uint8_t *last = &ordering->last[event_group(event->block.address)];
    bool numbered = event->kind != HEAP_RESTORE;
    if (numbered && *last != NUMBER_UNKNOWN &&
        ((*last + 1u) & EVENT_SEQUENCE_MASK) != event->sequence)
        return -EAGAIN;
    int err = book(ordering, event);
    if (err == 0 && numbered)
        *last = (uint8_t)event->sequence;
    return err == 0 || err == -ENOMEM ? err : -EAGAIN;
}

/* A number that repeats, or comes late, must not take the count back. */
static bool is_ahead(uint8_t last, uint32_t sequence)
{
    uint32_t steps = (sequence - last) & EVENT_SEQUENCE_MASK;
    return last == NUMBER_UNKNOWN || (steps >= 1 && steps <= EVENT_SEQUENCE_MASK / 2);
}

int ordering_force(struct ordering *ordering, const struct heap_event *event,
                   struct quality *quality)
{
    int err = book(ordering, event);
    if (err == -EEXIST) {
        struct freeing implied = {.address = event->block.address, .time_ns = event->block.time_ns};
        heap_book_free(ordering->book, &implied);
        quality->implied_frees++;
        err = book(ordering, event);
    } else if (err == -ENOENT) {
        quality->unknown_frees++;
        err = 0;
    }
    uint8_t *last = &ordering->last[event_group(event->block.address)];
    if (event->kind != HEAP_RESTORE && is_ahead(*last, event->sequence))
        *last = (uint8_t)event->sequence;
    return err;
}

void ordering_prefetch(const struct ordering *ordering, uint64_t address)
{
    __builtin_prefetch(&ordering->last[event_group(address)]);
    heap_book_prefetch(ordering->book, address);
}
