/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/live_pointers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/hash.h"

#define FIRST_ROOM  4096
#define LARGE_BYTES ((size_t)4 << 20)

void live_pointers_fini(struct live_pointers *pointers)
{
    free(pointers->slots);
}

static inline size_t home_of(const struct live_pointers *pointers, uint64_t pointer)
{
    return hash_mix(pointer) & (pointers->room - 1);
}

static inline struct live_block *find_slot(const struct live_pointers *pointers, uint64_t pointer)
{
    size_t at = home_of(pointers, pointer);
    while (pointers->slots[at].pointer != 0 && pointers->slots[at].pointer != pointer)
        at = (at + 1) & (pointers->room - 1);
    return &pointers->slots[at];
}

/* Accesses go everywhere, so most of their cost is in translating addresses: large pages save a
 * third of the time with two million blocks.  Without them all is as it was. */
static void ask_for_large_pages(void *items, size_t bytes)
{
    uintptr_t const page = 4096, from = ((uintptr_t)items + page - 1) / page * page;
    if (bytes >= LARGE_BYTES)
        (void)madvise((void *)from, (bytes - page) / page * page, MADV_HUGEPAGE);
}

static int grow(struct live_pointers *pointers)
{
    struct live_block *old = pointers->slots;
    size_t const old_room = pointers->room;
    size_t const room = old_room ? 2 * old_room : FIRST_ROOM;
    struct live_block *grown = calloc(room, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    ask_for_large_pages(grown, room * sizeof(*grown));
    pointers->slots = grown;
    pointers->room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].pointer)
            *find_slot(pointers, old[i].pointer) = old[i];
    free(old);
    return 0;
}

int live_pointers_put(struct live_pointers *pointers, const struct live_block *block,
                      struct live_block *missed)
{
    if (2 * pointers->count >= pointers->room && grow(pointers) < 0)
        return -ENOMEM;
    struct live_block *slot = find_slot(pointers, block->pointer);
    int const taken = slot->pointer != 0;
    if (taken)
        *missed = *slot;
    *slot = *block;
    pointers->count += !taken;
    return taken;
}

/* Closes the hole by moving up those that would otherwise not be found. */
static void close_hole(struct live_pointers *pointers, size_t hole)
{
    size_t const mask = pointers->room - 1;
    for (size_t at = (hole + 1) & mask; pointers->slots[at].pointer != 0; at = (at + 1) & mask) {
        size_t const home = home_of(pointers, pointers->slots[at].pointer);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* it would be moved before its home */
        pointers->slots[hole] = pointers->slots[at];
        hole = at;
    }
    pointers->slots[hole].pointer = 0;
}

bool live_pointers_remove(struct live_pointers *pointers, uint64_t pointer,
                          struct live_block *block)
{
    if (pointers->count == 0)
        return false;
    struct live_block *slot = find_slot(pointers, pointer);
    if (slot->pointer == 0)
        return false;
    *block = *slot;
    close_hole(pointers, (size_t)(slot - pointers->slots));
    pointers->count--;
    return true;
}

void live_pointers_prefetch(const struct live_pointers *pointers, uint64_t pointer)
{
    if (pointers->room)
        __builtin_prefetch(&pointers->slots[home_of(pointers, pointer)], 1);
}
