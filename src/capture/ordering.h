/* ordering.h - puts the events of many threads right, address by address.
 *
 * Allocations and frees of one address alternate.  An event that does not fit the state of its address came too
 * early: what belongs before it is in another thread's ring and arrives within the next round.  Such events
 * wait here; at the end of each round the waiting ones of an address are put in an order that alternates. */
#pragma once

#include "capture/heap_book.h"

enum heap_event_kind { HEAP_ALLOC, HEAP_FREE };
struct heap_event {
    enum heap_event_kind kind;
    uint32_t ring;         /* events of one ring keep their order */
    struct block block;    /* of a free: address and time */
    uint64_t slack;        /* of an allocation */
    struct freeing freeing;/* of a free */
    uint64_t round;        /* set by us */
};

struct ordering;

struct ordering *ordering_create(struct heap_book *book); /* NULL when out of memory */
void ordering_destroy(struct ordering *ordering);

/* Books the event, or keeps it waiting.  0 or -ENOMEM. */
int ordering_apply(struct ordering *ordering, const struct heap_event *event);

/* The end of a round: every ring has been read up to where it was when the round began.  With `last`, or
 * for events that waited two rounds: books them as they are, counting what must have been lost. */
int ordering_settle(struct ordering *ordering, bool last, struct quality *quality);
