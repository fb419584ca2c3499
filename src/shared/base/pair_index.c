/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pair_index.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

#define SLOTS_FIRST 1024u

static int grow(struct pair_index *index)
{
    size_t room = index->slots ? 2 * (index->slot_mask + 1) : SLOTS_FIRST;
    while (room < 2 * index->pairs.count + 2)
        room *= 2;
    uint32_t *slots = calloc(room, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    for (size_t i = 0; i < index->pairs.count; i++) {
        size_t at = hash_mix(index->pairs.items[i]) & (room - 1);
        while (slots[at])
            at = (at + 1) & (room - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(index->slots);
    index->slots = slots;
    index->slot_mask = room - 1;
    return 0;
}

int pair_index_find(struct pair_index *index, uint32_t first, uint32_t second, uint32_t *number)
{
    uint64_t const pair = (uint64_t)first << 32 | second;
    if (!index->slots || 2 * index->pairs.count > index->slot_mask)
        if (index->pairs.count >= UINT32_MAX - 1 || grow(index) < 0)
            return -ENOMEM;
    size_t at = hash_mix(pair) & index->slot_mask;
    for (; index->slots[at]; at = (at + 1) & index->slot_mask) {
        *number = index->slots[at] - 1;
        if (index->pairs.items[*number] == pair)
            return 0;
    }
    if (!vec_push(&index->pairs, pair))
        return -ENOMEM;
    *number = (uint32_t)index->pairs.count - 1;
    index->slots[at] = *number + 1;
    return 0;
}

void pair_index_rest(struct pair_index *index)
{
    free(index->slots);
    index->slots = NULL;
    index->slot_mask = 0;
    vec_trim(&index->pairs);
}

void pair_index_fini(struct pair_index *index)
{
    free(index->slots);
    index->slots = NULL;
    index->slot_mask = 0;
    vec_free(&index->pairs);
}
