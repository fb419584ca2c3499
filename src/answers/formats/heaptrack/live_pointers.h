/* live_pointers.h - the live blocks of a file of events, by their pointer.  Memory grows with the
 * number of blocks that are live at once, not with the number of events. */
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
    struct live_block *slots; /* hash table with open addressing; pointer 0: free */
    size_t room, count;       /* room is a power of two, at most half of it used */
};

void live_pointers_fini(struct live_pointers *pointers);

/* Adds a block.  Returns 0; 1 if there was a block with this pointer, which is copied to *missed;
 * -ENOMEM. */
int live_pointers_put(struct live_pointers *pointers, const struct live_block *block,
                      struct live_block *missed);
/* Removes a block.  Returns false if there is none. */
bool live_pointers_remove(struct live_pointers *pointers, uint64_t pointer,
                          struct live_block *block);
/* Loads the memory that a call for `pointer` will touch first into the CPU cache. */
void live_pointers_prefetch(const struct live_pointers *pointers, uint64_t pointer);
