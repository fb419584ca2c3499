/* ordering.h - books the events of many threads in the order in which they happened to each
 * address.
 *
 * The tracer numbers the events of an address (of a small group of addresses, see EVENT_GROUPS)
 * modulo 2048.  An event whose number is not next came too early: what belongs before it is in
 * another thread's ring and arrives within the next round, so its own ring is held until then.
 * Numbers may rarely repeat, and after a gap they jump; an event that was held long enough is taken
 * as it is, and what contradicts it was lost, unless it comes all the same. */
#pragma once

#include "capture/books/heap_book.h"

enum heap_event_kind {
    HEAP_ALLOC,
    HEAP_FREE,
    HEAP_PAIR,   /* an allocation and its free in one, with two numbers: this and the next */
    HEAP_SKIP,   /* nothing happened after all (a realloc that failed), but the number is used */
    HEAP_RESTORE /* the block that this ring freed with `moving` is there again; has no number */
};
struct heap_event {
    enum heap_event_kind kind;
    uint32_t ring;
    uint32_t sequence;      /* modulo 2048 */
    struct block block;     /* of a free: address and time */
    struct freeing freeing; /* of a free */
};

struct ordering;

/* `begins_anew`: the process counts from 0; else (a forked child) its numbers are not known yet. */
struct ordering *ordering_create(struct heap_book *book, bool begins_anew); /* NULL: no memory */
void ordering_destroy(struct ordering *ordering);

/* Books the event and returns 0; what contradicts it was lost, and is counted in `quality`.  Or
 * returns by how many numbers it is ahead: read other rings first and try again.  `now` books it
 * all the same.  -ENOMEM. */
int ordering_book(struct ordering *ordering, const struct heap_event *event, bool now,
                  struct quality *quality);

void ordering_prefetch(const struct ordering *ordering, uint64_t address);
