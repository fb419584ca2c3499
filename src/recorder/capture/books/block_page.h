/* block_page.h - the live blocks that begin in one page of a program's memory.
 *
 * Entries lie in groups of seven, two cache lines each, roughly in the order of their places in the
 * page.  All seven places of a group are compared at once.  An entry that finds its group full goes
 * to the next group, and each group counts the entries that passed it: a search ends at a group
 * that none has passed, and a removal moves no entry.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_PAGE_PLACES 512u /* words of 8 bytes in a page */
#define BLOCK_GROUP       7u

struct block_entry {
    uint64_t what, when;
};

/* Place of a missing entry in a group that is cut short. */
#define BLOCK_NO_ROOM 0xffffu

struct block_group {
    uint16_t places
        /* Of each entry: its word in the page, plus one; 0: none; or BLOCK_NO_ROOM. */
        [BLOCK_GROUP];
    uint16_t passed; /* Number of entries that are in a later group because this one was full. */
    struct block_entry entries[BLOCK_GROUP];
};
_Static_assert(sizeof(struct block_group) == 128, "two lines");

struct block_page {
    uint64_t number;            /* Page number plus one; 0: none. */
    struct block_group *groups; /* If there is only one group, it may be cut short. */
    uint16_t group_count;
    uint16_t room, count; /* Numbers of entries. */
    uint16_t full;        /* With this many entries, the page is full or would soon be slow. */
};

/* Returns the entry at `place`; NULL if there is none. */
struct block_entry *block_page_find(const struct block_page *page, uint32_t place);
/* Returns the entry at `place` and sets *taken if it existed; else adds one.  There must be room:
 * see block_page_is_full. */
struct block_entry *block_page_put(struct block_page *page, uint32_t place, bool *taken);
/* Removes the entry at `place` into *entry.  Returns false if there is none. */
bool block_page_remove(struct block_page *page, uint32_t place, struct block_entry *entry);

/* Returns the next entry and its place; NULL at the end. *at is 0 for the first call. */
struct block_entry *block_page_next(const struct block_page *page, uint32_t *at, uint32_t *place);

static inline bool block_page_is_full(const struct block_page *page)
{
    return page->count >= page->full;
}
/* Make more room, or give back room that is not needed.  Return by how many bytes memory use grew
 * or, if negative, shrank; INT64_MIN when out of memory, with the page unchanged. */
int64_t block_page_grow(struct block_page *page);
int64_t block_page_shrink(struct block_page *page);
void block_page_fini(struct block_page *page);
/* Returns whether the number of entries is right, and each entry is found where it is. */
bool block_page_is_valid(const struct block_page *page);
uint64_t block_page_bytes(const struct block_page *page);

/* Brings what is touched first for `place` into the processor's cache. */
void block_page_prefetch(const struct block_page *page, uint32_t place);
