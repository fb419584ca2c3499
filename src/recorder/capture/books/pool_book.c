/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/pool_book.h"

#include <errno.h>
#include <stdlib.h>

#include "base/invariant.h"
#include "base/number_map.h"
#include "base/vec.h"

#define ENDED_KEPT  65536u
#define MEMBERS_MAX (8u << 20) /* live blocks; further ones are lost */

/* A live block, in the list of its filling; places are numbered from 1. */
struct member {
    struct block block;
    uint32_t filling;        /* place of it */
    uint32_t next, previous; /* members; of one that is free: the next free */
};

struct pool_filling {
    uint32_t number;
    uint32_t first; /* member */
    string_id name;
    bool ended;
};
#define NO_POOL 1u /* the place of the filling of blocks in no pool */

struct pool_book {
    struct heap_book *heap; /* only its accounts: blocks of pools may lie anywhere, byte by byte */
    struct ordering *ordering;
    VEC(struct member) members;
    VEC(struct pool_filling) fillings;
    struct number_map member_of, filling_of; /* by address, by number */
    uint32_t free_member;
    uint32_t newest;
    VEC(uint32_t) ended; /* places of fillings, a ring of the latest */
    size_t oldest_ended;
};

struct pool_book *pool_book_create(bool begins_anew)
{
    struct pool_book *book = calloc(1, sizeof(*book));
    if (!book)
        return NULL;
    book->heap = heap_book_create_for_pools();
    if (book->heap)
        book->ordering = ordering_create(book->heap, begins_anew);
    if (!book->ordering || !vec_push(&book->fillings, (struct pool_filling){0})) {
        pool_book_destroy(book);
        return NULL;
    }
    return book;
}

void pool_book_destroy(struct pool_book *book)
{
    if (!book)
        return;
    heap_book_destroy(book->heap);
    ordering_destroy(book->ordering);
    vec_free(&book->members);
    vec_free(&book->fillings);
    vec_free(&book->ended);
    number_map_fini(&book->member_of);
    number_map_fini(&book->filling_of);
    free(book);
}

int pool_book_reserve(struct pool_book *book, uint32_t sites, uint32_t threads)
{
    return heap_book_reserve(book->heap, sites, threads);
}

struct heap_book *pool_book_blocks(struct pool_book *book)
{
    return book->heap;
}

static struct pool_filling *filling_at(struct pool_book *book, uint32_t place)
{
    INVARIANT(place > 0 && place <= book->fillings.count);
    return &book->fillings.items[place - 1];
}

static struct member *member_at(struct pool_book *book, uint32_t place)
{
    INVARIANT(place > 0 && place <= book->members.count);
    return &book->members.items[place - 1];
}

/* Books that the block of a member is gone; its place is free. */
static void drop_member(struct pool_book *book, uint32_t place, uint64_t time_ns)
{
    struct member *member = member_at(book, place);
    INVARIANT(member->previous ? member_at(book, member->previous)->next == place
                               : filling_at(book, member->filling)->first == place);
    heap_book_gone(book->heap, &member->block, time_ns);
    if (member->previous)
        member_at(book, member->previous)->next = member->next;
    else
        filling_at(book, member->filling)->first = member->next;
    if (member->next)
        member_at(book, member->next)->previous = member->previous;
    member->next = book->free_member;
    book->free_member = place;
}

/* A place for a member; 0 when out of memory. */
static uint32_t claim_member(struct pool_book *book)
{
    uint32_t place = book->free_member;
    if (place) {
        book->free_member = member_at(book, place)->next;
        return place;
    }
    return vec_push(&book->members, (struct member){0}) ? (uint32_t)book->members.count : 0;
}

/* 0; 1 when a block was there whose free was missed; or -ENOMEM. */
static int add_member(struct pool_book *book, const struct block *block, uint32_t filling)
{
    bool const is_full = book->members.count >= MEMBERS_MAX && !book->free_member;
    if (is_full && !number_map_get(&book->member_of, block->address))
        return -ENOMEM;
    uint32_t *known = number_map_at(&book->member_of, block->address);
    if (!known)
        return -ENOMEM;
    int missed = *known != 0;
    if (missed)
        drop_member(book, *known, block->time_ns);
    uint32_t place = *known = claim_member(book);
    if (!place)
        return -ENOMEM;
    struct pool_filling *in = filling_at(book, filling);
    INVARIANT(!in->ended && book->members.count <= MEMBERS_MAX);
    *member_at(book, place) =
        (struct member){.block = *block, .filling = filling, .next = in->first};
    INVARIANT(!in->first || !member_at(book, in->first)->previous);
    if (in->first)
        member_at(book, in->first)->previous = place;
    in->first = place;
    heap_book_made(book->heap, block);
    return missed;
}

/* The place that a new filling has: an old one's, when enough of them have ended. */
static uint32_t claim_place(struct pool_book *book)
{
    if (book->ended.count == ENDED_KEPT) {
        uint32_t place = book->ended.items[book->oldest_ended];
        if (place) {
            INVARIANT(filling_at(book, place)->ended && !filling_at(book, place)->first);
            book->ended.items[book->oldest_ended] = 0;
            number_map_remove(&book->filling_of, filling_at(book, place)->number);
            return place;
        }
    }
    return vec_push(&book->fillings, (struct pool_filling){0}) ? (uint32_t)book->fillings.count : 0;
}

/* The place of a filling, which is made if it is new.  0 when out of memory. */
static uint32_t make_filling(struct pool_book *book, uint32_t number, string_id name)
{
    INVARIANT(number != 0); /* that is NO_POOL */
    uint32_t place = number_map_get(&book->filling_of, number);
    if (place)
        return place;
    place = claim_place(book);
    uint32_t *known = place ? number_map_at(&book->filling_of, number) : NULL;
    if (!known)
        return 0;
    *known = place;
    *filling_at(book, place) = (struct pool_filling){.number = number, .name = name};
    if ((int32_t)(number - book->newest) > 0)
        book->newest = number;
    return place;
}

static int64_t end_filling(struct pool_book *book, uint32_t place, uint64_t time_ns)
{
    INVARIANT(place != NO_POOL);
    int64_t freed = 0;
    for (uint32_t first; (first = filling_at(book, place)->first) != 0; freed++) {
        number_map_remove(&book->member_of, member_at(book, first)->block.address);
        drop_member(book, first, time_ns);
    }
    if (filling_at(book, place)->ended)
        return freed;
    filling_at(book, place)->ended = true;
    if (book->ended.count < ENDED_KEPT)
        return vec_push(&book->ended, place) ? freed : -ENOMEM;
    book->ended.items[book->oldest_ended] = place;
    book->oldest_ended = (book->oldest_ended + 1) % ENDED_KEPT;
    return freed;
}

int64_t pool_book_begin_fill(struct pool_book *book, uint32_t fill, uint32_t before, string_id name,
                             uint64_t time_ns)
{
    uint32_t last = before ? make_filling(book, before, STRING_EMPTY) : 0;
    if (before && !last)
        return -ENOMEM;
    if (last && name == STRING_EMPTY)
        name = filling_at(book, last)->name;
    int64_t freed = last ? end_filling(book, last, time_ns) : 0;
    if (freed < 0 || !fill)
        return freed;
    uint32_t place = make_filling(book, fill, name);
    if (!place)
        return -ENOMEM;
    filling_at(book, place)->name = name;
    return freed;
}

bool pool_book_name(const struct pool_book *book, uint32_t fill, string_id *name)
{
    uint32_t place = fill ? number_map_get(&book->filling_of, fill) : NO_POOL;
    *name = place ? book->fillings.items[place - 1].name : STRING_EMPTY;
    return place || (int32_t)(book->newest - fill) > (int32_t)ENDED_KEPT;
}

/* Books an event that has its turn, in a filling that may have ended: 0 is one that is
 * forgotten. */
static int book_turn(struct pool_book *book, const struct heap_event *event, uint32_t filling,
                     struct quality *quality)
{
    bool ended = !filling || filling_at(book, filling)->ended;
    const struct block *block = &event->block;
    if (event->kind == HEAP_FREE) {
        uint32_t member = ended ? 0 : number_map_remove(&book->member_of, block->address);
        if (member)
            drop_member(book, member, block->time_ns);
        else
            quality->unknown_frees += !ended; /* else the end of its filling has freed it */
        return 0;
    }
    if (ended) {
        heap_book_made(book->heap, block);
        heap_book_gone(book->heap, block, block->time_ns);
        return 0;
    }
    int missed = add_member(book, block, filling);
    quality->implied_frees += missed > 0;
    return missed < 0 ? missed : 0;
}

int pool_book_event(struct pool_book *book, const struct heap_event *event, uint32_t fill, bool now,
                    struct quality *quality)
{
    struct heap_event turn = *event;
    string_id name;
    if (!pool_book_name(book, fill, &name)) {
        if (!now)
            return 1;
        if (!make_filling(book, fill, STRING_EMPTY))
            return -ENOMEM;
    }
    turn.kind = HEAP_SKIP; /* only its number counts: the blocks are ours */
    int ahead = ordering_book(book->ordering, &turn, now, quality);
    if (ahead != 0)
        return ahead;
    uint32_t filling = fill ? number_map_get(&book->filling_of, fill) : NO_POOL;
    return book_turn(book, event, filling, quality);
}
