/* odd_blocks.h - sizes of the few blocks for which block_table has too few bits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct odd_block {
    uint64_t address, size, slack;
};

struct odd_blocks {          /* All zero to begin. */
    struct odd_block *items; /* Open addressing; at most half full. */
    size_t room, count;
};

int odd_blocks_put(struct odd_blocks *odd, uint64_t address, uint64_t size, uint64_t slack);
/* Sets both to 0 if the address is not there. */
void odd_blocks_find(const struct odd_blocks *odd, uint64_t address, uint64_t *size,
                     uint64_t *slack);
/* Removes one; sets both to 0 if the address is not there. */
void odd_blocks_remove(struct odd_blocks *odd, uint64_t address, uint64_t *size, uint64_t *slack);
size_t odd_blocks_bytes(const struct odd_blocks *odd);
void odd_blocks_fini(struct odd_blocks *odd);
