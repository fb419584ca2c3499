/* number_map.h - a hash map from 64-bit to 32-bit numbers: open addressing, at most half full.
 *
 * Keys are never 0.  A value of 0 means "absent": callers cannot tell it from a missing key. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct number_pair {
    uint64_t key; /* 0: the slot is free. */
    uint32_t value;
};

/* Initialise with zeroes. */
struct number_map {
    struct number_pair *items;
    size_t room, count;
};

/* Returns the value of `key`, or 0 if the key is absent. */
uint32_t number_map_get(const struct number_map *map, uint64_t key);
/* Inserts `key` with value 0 if it is absent.  Returns the address of its value, for reading and
 * writing; valid until the map changes.  Returns NULL if out of memory. */
uint32_t *number_map_at(struct number_map *map, uint64_t key);
/* Removes `key`.  Returns its value, or 0 if it was absent. */
uint32_t number_map_remove(struct number_map *map, uint64_t key);
void number_map_fini(struct number_map *map);
