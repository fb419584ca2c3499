/* ordering.h - puts the events of many threads right, address by address.
 *
 * Allocations and frees of one address alternate.  An event that does not fit the state of its
 * address came too early: what belongs before it is in another thread's ring and arrives within the
 * next round.  Such events wait here; at the end of each round the waiting ones of an address are
 * put in an order that alternates. */
#pragma once

#include "capture/heap_book.h"

enum heap_event_kind {
    HEAP_ALLOC,
    HEAP_FREE,
    HEAP_RESTORE /* the block that this ring freed with `moving` is there again: realloc failed */
};
struct heap_event {
    enum heap_event_kind kind;
    uint32_t ring;          /* events of one ring keep their order */
    struct block block;     /* of a free: address and time */
    uint64_t slack;         /* of an allocation */
    struct freeing freeing; /* of a free */
    uint64_t round;         /* set by us */
};

struct ordering;

struct ordering *ordering_create(struct heap_book *book); /* NULL when out of memory */
void ordering_destroy(struct ordering *ordering);

/* Books the event.  0; -EAGAIN when it does not fit the state of its address: read other rings first and
 * try again; or -ENOMEM. */
int ordering_try(struct ordering *ordering, const struct heap_event *event);

/* Books the event, or keeps it waiting: for when trying again did not help.  0 or -ENOMEM. */
int ordering_apply(struct ordering *ordering, const struct heap_event *event);

/* How far the rings were read when a round ended. */
enum round_end {
    ROUND_HELD,  /* some ring stopped before a call that has not returned yet */
    ROUND_WHOLE, /* every ring was read up to where it was when the round began */
    ROUND_LAST   /* nothing comes after it */
};

/* Books what can be put in order.  Events that waited two whole rounds, or to the last, are booked
 * as they are, counting what must have been lost. */
int ordering_settle(struct ordering *ordering, enum round_end end, struct quality *quality);
