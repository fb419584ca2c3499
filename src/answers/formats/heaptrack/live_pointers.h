/* live_pointers.h - the blocks of a file of events that are live now, by their pointer.  Memory
 * grows with the blocks live at once, never with the events. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_block {
    uint64_t pointer; /* never 0 */
    uint64_t size;
    uint32_t site;
};

struct live_pointers {
    struct live_block *slots; /* open addressing; pointer 0: free */
    size_t room, count;       /* a power of two, at most half of it in use */
};

void live_pointers_fini(struct live_pointers *pointers);

/* 0; 1 when a block was there already, which is then in *missed; -ENOMEM. */
int live_pointers_put(struct live_pointers *pointers, const struct live_block *block,
                      struct live_block *missed);
/* Removes a block.  False when there is none. */
bool live_pointers_remove(struct live_pointers *pointers, uint64_t pointer,
                          struct live_block *block);
/* Brings what a call for `pointer` will touch first into the cache. */
void live_pointers_prefetch(const struct live_pointers *pointers, uint64_t pointer);
