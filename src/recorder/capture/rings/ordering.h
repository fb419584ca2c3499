/* ordering.h - books the events of many threads in the order in which they happened to each
 * address.
 *
 * The tracer numbers the events of each address (of each small group of addresses, see
 * EVENT_GROUPS) modulo 2048.  If the number of an event is not the next one, the event came too
 * early: an event before it is in another thread's ring and arrives within the next round.  Until
 * then, the ring of the early event is held.  Rarely, numbers repeat; after a gap they jump.  An
 * event that was held long enough is booked as it is: an event that contradicts it counts as lost,
 * unless it arrives after all. */
#pragma once

#include "capture/books/heap_book.h"

enum heap_event_kind {
    HEAP_ALLOC,
    HEAP_FREE,
    HEAP_PAIR,   /* An allocation and its free in one event, with two numbers: this and the next. */
    HEAP_SKIP,   /* Nothing happened after all (a realloc that failed), but the number is used. */
    HEAP_RESTORE /* The block that this ring freed with `moving` exists again; has no number. */
};
struct heap_event {
    enum heap_event_kind kind;
    uint32_t ring;
    uint32_t sequence;      /* Modulo 2048. */
    struct block block;     /* Of a free: address and time. */
    struct freeing freeing; /* Of a free. */
};

struct ordering;

/* `begins_anew`: the numbers of the process begin at 0; else (a forked child) they are not known
 * yet. */
/* NULL: out of memory. */
struct ordering *ordering_create(struct heap_book *book, bool begins_anew);
void ordering_destroy(struct ordering *ordering);

/* Books an event.  Returns 0 if booked; events that contradict it were lost, and are counted in
 * `quality`.  Returns a positive number if the event came too early (its number minus the next
 * one): the caller reads other rings, then tries again.  With `now`, books it even so.  Returns
 * -ENOMEM when out of memory. */
int ordering_book(struct ordering *ordering, const struct heap_event *event, bool now,
                  struct quality *quality);

void ordering_prefetch(const struct ordering *ordering, uint64_t address);
