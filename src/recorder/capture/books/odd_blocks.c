/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/odd_blocks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/invariant.h"

static struct odd_block *find(const struct odd_blocks *odd, uint64_t address)
{
    INVARIANT(address != 0 && odd->count < odd->room && (odd->room & (odd->room - 1)) == 0);
    size_t at = hash_mix(address) & (odd->room - 1);
    while (odd->items[at].address && odd->items[at].address != address)
        at = (at + 1) & (odd->room - 1);
    return &odd->items[at];
}

static int grow(struct odd_blocks *odd)
{
    struct odd_blocks bigger = {.room = odd->room ? 2 * odd->room : 64, .count = odd->count};
    bigger.items = calloc(bigger.room, sizeof(struct odd_block));
    if (!bigger.items)
        return -ENOMEM;
    for (size_t i = 0; i < odd->room; i++) {
        if (odd->items[i].address)
            *find(&bigger, odd->items[i].address) = odd->items[i];
    }
    free(odd->items);
    *odd = bigger;
    return 0;
}

int odd_blocks_put(struct odd_blocks *odd, uint64_t address, uint64_t size, uint64_t slack)
{
    if (2 * odd->count >= odd->room && grow(odd) < 0)
        return -ENOMEM;
    struct odd_block *place = find(odd, address);
    INVARIANT(2 * odd->count <= odd->room);
    odd->count += place->address == 0;
    *place = (struct odd_block){address, size, slack};
    return 0;
}

void odd_blocks_find(const struct odd_blocks *odd, uint64_t address, uint64_t *size,
                     uint64_t *slack)
{
    const struct odd_block *found = odd->room ? find(odd, address) : NULL;
    bool known = found && found->address;
    *size = known ? found->size : 0;
    *slack = known ? found->slack : 0;
}

void odd_blocks_remove(struct odd_blocks *odd, uint64_t address, uint64_t *size, uint64_t *slack)
{
    odd_blocks_find(odd, address, size, slack);
    struct odd_block *found = odd->room ? find(odd, address) : NULL;
    if (!found || !found->address)
        return;
    size_t mask = odd->room - 1, at = (size_t)(found - odd->items);
    INVARIANT(odd->count > 0 && at < odd->room);
    odd->count--;
    found->address = 0;
    /* Those behind it move up to where they would be looked for. */
    while (odd->items[at = (at + 1) & mask].address) {
        struct odd_block moved = odd->items[at];
        odd->items[at].address = 0;
        *find(odd, moved.address) = moved;
    }
}

size_t odd_blocks_bytes(const struct odd_blocks *odd)
{
    return odd->room * sizeof(struct odd_block);
}

void odd_blocks_fini(struct odd_blocks *odd)
{
    free(odd->items);
    *odd = (struct odd_blocks){.items = NULL};
}
