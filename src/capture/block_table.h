/* block_table.h - every live block of a process: where, how large, whose, since when.
 *
 * 20 bytes a block, kept 65 to 80 % full by growing in small steps, behind a small table of the
 * youngest blocks: most blocks die there.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct block {
    uint64_t address;
    uint64_t size;
    uint64_t time_ns; /* exact while young, else to 16 us */
    uint64_t slack;   /* usable - size */
    uint32_t site;    /* below 2^22 */
    uint32_t thread;  /* below 2^12 */
};

struct block_table;

struct block_table *block_table_create(void); /* NULL when out of memory */
void block_table_destroy(struct block_table *table);

/* Adds a block; one at the same address must have been taken before.  0, -ENOMEM, or -EINVAL for an
 * address below 8 or between two words. */
int block_table_insert(struct block_table *table, const struct block *block);

/* Removes the block at `address` into *block.  false when there is none. */
bool block_table_take(struct block_table *table, uint64_t address, struct block *block);
bool block_table_has(const struct block_table *table, uint64_t address);

/* Brings what the next call for `address` will touch into the cache. */
void block_table_prefetch(const struct block_table *table, uint64_t address);

uint64_t block_table_count(const struct block_table *table);
uint64_t block_table_bytes(const struct block_table *table); /* of our own memory */
