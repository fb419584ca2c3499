/* number_map.h - numbers by number: open addressing, never more than half full.
 *
 * Keys are never 0.  A value of 0 is as good as none: what is set to it may be forgotten. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct number_pair {
    uint64_t key; /* 0: free */
    uint32_t value;
};

struct number_map { /* all zero to begin */
    struct number_pair *items;
    size_t room, count;
};

/* 0 when the key is not there. */
uint32_t number_map_get(const struct number_map *map, uint64_t key);
/* The value of a key that is there from now on, to be read and set; valid until the map changes.
 * NULL when out of memory. */
uint32_t *number_map_at(struct number_map *map, uint64_t key);
/* Takes it out; what it was, or 0. */
uint32_t number_map_take(struct number_map *map, uint64_t key);
void number_map_fini(struct number_map *map);
