/* block_page.h - the live blocks that begin in one page of a program's memory.
 *
 * Entries lie in groups of seven, two cache lines each, roughly in order of their place in the
 * page.  All seven places of a group are compared at once; what finds its group full goes to the
 * next one, and the groups it went by know how many did, so that a search ends where none has
 * and a removal moves nothing.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_PAGE_PLACES 512u /* words of 8 bytes in a page */
#define BLOCK_GROUP       7u

struct block_entry {
    uint64_t what, when;
};

/* Stands where a group that is cut short has no entry. */
#define BLOCK_NO_ROOM 0xffffu

struct block_group {
    uint16_t places
        /* of each entry: its word in the page, plus one; 0: none; or BLOCK_NO_ROOM */
        [BLOCK_GROUP];
    uint16_t passed; /* entries that are further on because this one was full */
    struct block_entry entries[BLOCK_GROUP];
};
_Static_assert(sizeof(struct block_group) == 128, "two lines");

struct block_page {
    uint64_t number;            /* plus one; 0: none */
    struct block_group *groups; /* the first and only one may be cut short */
    uint16_t group_count;
    uint16_t room, count; /* entries */
    uint16_t full;        /* from so many on it is full, or would soon be slow */
};

/* The entry at `place`; NULL when there is none. */
struct block_entry *block_page_find(const struct block_page *page, uint32_t place);
/* The entry at `place`, and whether it was there already; it is new otherwise.  There must be
 * room: block_page_is_full. */
struct block_entry *block_page_put(struct block_page *page, uint32_t place, bool *taken);
/* Removes the entry at `place` into *entry; false when there is none. */
bool block_page_remove(struct block_page *page, uint32_t place, struct block_entry *entry);

/* The entry that comes after the one at *at, and its place; NULL at the end.  *at begins with 0. */
struct block_entry *block_page_next(const struct block_page *page, uint32_t *at, uint32_t *place);

static inline bool block_page_is_full(const struct block_page *page)
{
    return page->count >= page->full;
}
/* More room; or no more than is needed.  How many bytes more are in use, or less; INT64_MIN when
 * out of memory, and all is as it was. */
int64_t block_page_grow(struct block_page *page);
int64_t block_page_shrink(struct block_page *page);
void block_page_fini(struct block_page *page);
/* Whether the entries are as many as are counted, and found where they are. */
bool block_page_is_valid(const struct block_page *page);
uint64_t block_page_bytes(const struct block_page *page);

/* Brings what is touched first for `place` into the cache. */
void block_page_prefetch(const struct block_page *page, uint32_t place);
