/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/block_page.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/cold.h"
#include "base/invariant.h"
#include "machine/vector.h"

#define FIRST_ROOM 3u /* with them, a group that is cut short has one line */

static inline uint32_t home_of(const struct block_page *page, uint32_t place)
{
    INVARIANT(place < BLOCK_PAGE_PLACES);
    return place * page->group_count / BLOCK_PAGE_PLACES;
}

static inline uint32_t next_of(const struct block_page *page, uint32_t group)
{
    INVARIANT(group < page->group_count);
    return group + 1 == page->group_count ? 0 : group + 1;
}

/* Which of a group's places are this: a bit for each. */
static inline uint32_t which_are(const struct block_group *group, uint32_t place)
{
    return vector_equal16(group, (uint16_t)place) & ((1u << BLOCK_GROUP) - 1);
}

struct block_entry *block_page_find(const struct block_page *page, uint32_t place)
{
    uint32_t at = home_of(page, place);
    for (uint32_t i = 0; i < page->group_count; i++) {
        struct block_group *group = &page->groups[at];
        uint32_t found = which_are(group, place + 1);
        if (found)
            return &group->entries[__builtin_ctz(found)];
        if (group->passed == 0)
            return NULL;
        at = next_of(page, at);
    }
    return NULL;
}

static struct block_entry *fill(struct block_page *page, struct block_group *group, uint32_t empty,
                                uint32_t place)
{
    unsigned which = (unsigned)__builtin_ctz(empty);
    INVARIANT(page->count < page->room && group->places[which] == 0);
    group->places[which] = (uint16_t)(place + 1);
    page->count++;
    return &group->entries[which];
}

/* A new entry for `place`, which has none. */
static struct block_entry *add(struct block_page *page, uint32_t place)
{
    INVARIANT(!block_page_find(page, place) && page->count < page->room);
    uint32_t at = home_of(page, place), empty;
    while (!(empty = which_are(&page->groups[at], 0))) {
        INVARIANT(page->groups[at].passed < page->count);
        page->groups[at].passed++;
        at = next_of(page, at);
    }
    return fill(page, &page->groups[at], empty, place);
}

/* The same where it may be in another group, or must go to one. */
static __attribute__((noinline)) struct block_entry *put_further(struct block_page *page,
                                                                 uint32_t place)
{
    struct block_entry *entry = block_page_find(page, place);
    return entry ? entry : add(page, place);
}

struct block_entry *block_page_put(struct block_page *page, uint32_t place, bool *taken)
{
    INVARIANT(!block_page_is_full(page));
    struct block_group *group = &page->groups[home_of(page, place)];
    uint32_t empty = which_are(group, 0);
    uint32_t before = page->count;
    struct block_entry *entry = empty && !group->passed && !which_are(group, place + 1)
                                    ? fill(page, group, empty, place)
                                    : put_further(page, place);
    *taken = page->count == before;
    return entry;
}

/* The group that `place` is in, when that is not its own, and soon will not be; NULL: none. */
static __attribute__((noinline)) struct block_group *leave_further(struct block_page *page,
                                                                   uint32_t place)
{
    uint32_t at = home_of(page, place);
    if (!block_page_find(page, place))
        return NULL;
    for (; !which_are(&page->groups[at], place + 1); at = next_of(page, at)) {
        INVARIANT(page->groups[at].passed > 0);
        page->groups[at].passed--;
    }
    return &page->groups[at];
}

bool block_page_remove(struct block_page *page, uint32_t place, struct block_entry *entry)
{
    if (unlikely(page->group_count == 0))
        return false;
    struct block_group *group = &page->groups[home_of(page, place)];
    uint32_t found = which_are(group, place + 1);
    if (unlikely(!found)) {
        group = leave_further(page, place);
        if (!group)
            return false;
        found = which_are(group, place + 1);
    }
    unsigned which = (unsigned)__builtin_ctz(found);
    INVARIANT(which < page->room && page->count > 0);
    *entry = group->entries[which];
    group->places[which] = 0;
    page->count--;
    return true;
}

struct block_entry *block_page_next(const struct block_page *page, uint32_t *at, uint32_t *place)
{
    for (uint32_t i = *at; i < page->room; i++) {
        struct block_group *group = &page->groups[i / BLOCK_GROUP];
        if (group->places[i % BLOCK_GROUP]) {
            *at = i + 1;
            *place = group->places[i % BLOCK_GROUP] - 1u;
            INVARIANT(*place < BLOCK_PAGE_PLACES);
            return &group->entries[i % BLOCK_GROUP];
        }
    }
    return NULL;
}

/* A few empty places in many make a search short; in one group none are needed. */
static uint32_t full_at(uint32_t room)
{
    return room <= BLOCK_GROUP || room >= BLOCK_PAGE_PLACES ? room : room - room / 8u;
}

static size_t bytes_of(uint32_t room)
{
    if (room < BLOCK_GROUP)
        return room ? offsetof(struct block_group, entries) + room * sizeof(struct block_entry) : 0;
    return room / BLOCK_GROUP * sizeof(struct block_group);
}

uint64_t block_page_bytes(const struct block_page *page)
{
    return bytes_of(page->room);
}

/* Of each entry that is not in its own group, each group that it went by knows. */
static uint32_t steps_from_home(const struct block_page *page, uint32_t group, uint32_t place)
{
    uint32_t const home = home_of(page, place);
    return group >= home ? group - home : group + page->group_count - home;
}

bool block_page_is_valid(const struct block_page *page)
{
    uint32_t count = 0, passed = 0, steps = 0, at = 0, place;
    for (uint32_t i = 0; i < page->group_count; i++)
        passed += page->groups[i].passed;
    while (block_page_next(page, &at, &place)) {
        steps += steps_from_home(page, (at - 1) / BLOCK_GROUP, place);
        count++;
    }
    return count == page->count && count <= page->room && passed == steps &&
           page->group_count == (page->room + BLOCK_GROUP - 1) / BLOCK_GROUP;
}

static int64_t resize(struct block_page *page, uint32_t room)
{
    INVARIANT(room > 0 && room >= page->count && block_page_is_valid(page));
    struct block_page resized = {
        .number = page->number,
        .group_count = (uint16_t)((room + BLOCK_GROUP - 1) / BLOCK_GROUP),
        .room = (uint16_t)room,
        .full = (uint16_t)full_at(room),
    };
    uint32_t at = 0, place;
    resized.groups = calloc(1, bytes_of(room));
    if (!resized.groups)
        return INT64_MIN;
    for (uint32_t i = room; i < BLOCK_GROUP; i++)
        resized.groups->places[i] = BLOCK_NO_ROOM;
    for (struct block_entry *entry; (entry = block_page_next(page, &at, &place));)
        *add(&resized, place) = *entry;
    INVARIANT(resized.count == page->count);
    int64_t more = (int64_t)bytes_of(room) - (int64_t)bytes_of(page->room);
    free(page->groups);
    *page = resized;
    return more;
}

static uint32_t room_of(uint32_t groups)
{
    return groups * BLOCK_GROUP;
}

/* Little by little: a page has at most 512, and many pages are as full as they will ever be. */
int64_t block_page_grow(struct block_page *page)
{
    uint32_t groups = page->room / BLOCK_GROUP;
    INVARIANT(block_page_is_full(page));
    return resize(page, page->room == 0 ? FIRST_ROOM : room_of(groups + groups / 4 + 1));
}

int64_t block_page_shrink(struct block_page *page)
{
    return resize(page, page->count ? room_of(2u * page->count / BLOCK_GROUP + 1) : FIRST_ROOM);
}

void block_page_fini(struct block_page *page)
{
    free(page->groups);
    page->groups = NULL;
    page->group_count = page->room = page->count = page->full = 0;
}

void block_page_prefetch(const struct block_page *page, uint32_t place)
{
    if (page->room)
        __builtin_prefetch(&page->groups[home_of(page, place)]);
}
