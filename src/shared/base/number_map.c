/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number_map.h"

#include <stdlib.h>

#include "base/hash.h"

/* Where the key is, or the free place where it belongs. */
static struct number_pair *find(const struct number_map *map, uint64_t key)
{
    size_t at = hash_mix(key) & (map->room - 1);
    while (map->items[at].key && map->items[at].key != key)
        at = (at + 1) & (map->room - 1);
    return &map->items[at];
}

static int grow(struct number_map *map)
{
    struct number_map bigger = {.room = map->room ? 2 * map->room : 64, .count = map->count};
    bigger.items = calloc(bigger.room, sizeof(struct number_pair));
    if (!bigger.items)
        return -1;
    for (size_t i = 0; i < map->room; i++) {
        if (map->items[i].key)
            *find(&bigger, map->items[i].key) = map->items[i];
    }
    free(map->items);
    *map = bigger;
    return 0;
}

uint32_t number_map_get(const struct number_map *map, uint64_t key)
{
    return map->room ? find(map, key)->value : 0;
}

uint32_t *number_map_at(struct number_map *map, uint64_t key)
{
    if (2 * map->count >= map->room && grow(map) < 0)
        return NULL;
    struct number_pair *place = find(map, key);
    if (!place->key) {
        *place = (struct number_pair){.key = key};
        map->count++;
    }
    return &place->value;
}

uint32_t number_map_remove(struct number_map *map, uint64_t key)
{
    struct number_pair *found = map->room ? find(map, key) : NULL;
    if (!found || !found->key)
        return 0;
    uint32_t value = found->value;
    size_t mask = map->room - 1, at = (size_t)(found - map->items);
    *found = (struct number_pair){0};
    map->count--;
    /* Those behind it move up to where they would be looked for. */
    while (map->items[at = (at + 1) & mask].key) {
        struct number_pair moved = map->items[at];
        map->items[at] = (struct number_pair){0};
        *find(map, moved.key) = moved;
    }
    return value;
}

void number_map_fini(struct number_map *map)
{
    free(map->items);
    *map = (struct number_map){.items = NULL};
}
