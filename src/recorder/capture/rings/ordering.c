/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/ordering.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/cold.h"
#include "base/invariant.h"
#include "base/number_map.h"
#include "wire/event.h"

/* What was booked before its turn, and contradicted what was known then: the event that explains
 * it may still come, and is booked already. */
enum { FREE_IS_BOOKED = 1, ALLOC_IS_BOOKED };
#define EARLY_MAX 65536u

/* Set once there was an event. */
#define NUMBER_SEEN 0x8000u

struct ordering {
    struct heap_book *book;
    struct number_map early;     /* by address */
    uint16_t unseen;             /* what an empty `last` means: a number, or NUMBER_UNKNOWN */
    uint16_t last[EVENT_GROUPS]; /* number of the newest event booked, by group of addresses */
};
#define NUMBER_UNKNOWN 0xffffu

/* Pages of the kernel: groups that none was booked of cost no memory.  An allocator that has such a
 * large block left over would fill all of it with zeroes, for each of a thousand processes. */
struct ordering *ordering_create(struct heap_book *book, bool begins_anew)
{
    struct ordering *ordering = mmap(NULL, sizeof(*ordering), PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (ordering == MAP_FAILED)
        return NULL;
    ordering->book = book;
    ordering->unseen = begins_anew ? NUMBER_SEEN : NUMBER_UNKNOWN;
    return ordering;
}

void ordering_destroy(struct ordering *ordering)
{
    if (!ordering)
        return;
    number_map_fini(&ordering->early);
    munmap(ordering, sizeof(*ordering));
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

static COLD void note_early(struct ordering *ordering, uint64_t address, uint32_t what)
{
    uint32_t *early =
        ordering->early.count < EARLY_MAX ? number_map_at(&ordering->early, address) : NULL;
    if (early)
        *early = what;
    INVARIANT(ordering->early.count <= EARLY_MAX);
}

/* An event before its turn: what it lacks is made up. */
static COLD int book_early(struct ordering *ordering, const struct heap_event *event,
                           struct quality *quality)
{
    uint64_t const implied = quality->implied_frees, unknown = quality->unknown_frees;
    int const err = book_turn(ordering, event, quality);
    if (quality->implied_frees != implied)
        note_early(ordering, event->block.address, FREE_IS_BOOKED);
    else if (quality->unknown_frees != unknown)
        note_early(ordering, event->block.address, ALLOC_IS_BOOKED);
    INVARIANT(quality->implied_frees - implied + quality->unknown_frees - unknown <= 1);
    return err;
}

/* An event after its turn: it may be the one that was made up.  A program that writes what it likes
 * can have it counted back more than once. */
static COLD int book_late(struct ordering *ordering, const struct heap_event *event,
                          struct quality *quality)
{
    uint32_t const booked = number_map_get(&ordering->early, event->block.address);
    struct heap_event pair = *event;
    if (event->kind == HEAP_FREE && booked == FREE_IS_BOOKED) {
        quality->implied_frees -= quality->implied_frees > 0;
        pair.kind = HEAP_SKIP;
    } else if (event->kind == HEAP_ALLOC && booked == ALLOC_IS_BOOKED) {
        quality->unknown_frees -= quality->unknown_frees > 0;
        pair.kind = HEAP_PAIR;
    }
    if (pair.kind != event->kind)
        number_map_remove(&ordering->early, event->block.address);
    return book_turn(ordering, &pair, quality);
}

int ordering_book(struct ordering *ordering, const struct heap_event *event, bool now,
                  struct quality *quality)
{
    uint16_t *place = &ordering->last[event_group(event->block.address)];
    uint16_t last = *place ? *place : ordering->unseen;
    INVARIANT(last == NUMBER_UNKNOWN || (last & NUMBER_SEEN));
    INVARIANT(event->sequence <= EVENT_SEQUENCE_MASK);
    if (event->kind == HEAP_RESTORE)
        return book_turn(ordering, event, quality);
    /* 1: next; 0 or in the upper half: repeats, or comes late, and must not take the count back. */
    uint32_t steps = last == NUMBER_UNKNOWN ? 1 : (event->sequence - last) & EVENT_SEQUENCE_MASK;
    bool ahead = steps >= 1 && steps <= EVENT_SEQUENCE_MASK / 2;
    if (ahead && steps > 1 && !now)
        return (int)steps - 1;
    INVARIANT(now || steps <= 1 || !ahead);
    int err;
    if (unlikely(steps > 1))
        err = ahead ? book_early(ordering, event, quality) : book_late(ordering, event, quality);
    else
        err = book_turn(ordering, event, quality);
    if (ahead) /* also of one for which there was no room: it had its turn */
        *place =
            NUMBER_SEEN | ((event->sequence + (event->kind == HEAP_PAIR)) & EVENT_SEQUENCE_MASK);
    return err;
}

void ordering_prefetch(const struct ordering *ordering, uint64_t address)
{
    __builtin_prefetch(&ordering->last[event_group(address)]);
    heap_book_prefetch(ordering->book, address);
}
