/* block_table.h - every live block of a process: where, how large, whose, since when.
 *
 * Blocks are kept by page of 4 KiB, 16 bytes each, in little tables of their own: what a program
 * does next is near what it did last, here as there.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_TIME_SHIFT 10 /* bits of a block's time that are not kept */

struct block {
    uint64_t address;
    uint64_t size;
    uint64_t time_ns; /* kept to 1 us, modulo some 100 days */
    uint64_t slack;   /* usable - size */
    uint32_t site;    /* below 2^22 */
    uint32_t thread;  /* below 2^12 */
};

struct block_table;

struct block_table *block_table_create(void); /* NULL when out of memory */
void block_table_destroy(struct block_table *table);

/* Adds a block.  0; 1 when one at the same address was still there, whose removal was missed: it
 * is out now, in *missed; -ENOMEM; or -EINVAL for an address below 8 or between two words. */
int block_table_insert(struct block_table *table, const struct block *block, struct block *missed);

/* Removes the block at `address` into *block.  false when there is none. */
bool block_table_remove(struct block_table *table, uint64_t address, struct block *block);

/* Shows every block; the table must not change meanwhile. */
typedef void block_visitor(void *context, const struct block *block);
void block_table_visit(const struct block_table *table, block_visitor *visit, void *context);

/* The numbers (address / 4096) of pages in which blocks begin, lowest first; the caller frees.
 * 0 or -ENOMEM. */
int block_table_list_pages(const struct block_table *table, uint64_t **pages, size_t *count);
/* Shows the blocks that begin in one page, in no order. */
void block_table_visit_page(const struct block_table *table, uint64_t page, block_visitor *visit,
                            void *context);

/* Removes every block of the sites that are wanted, and hands each over. */
struct block_remover {
    void *context;
    bool (*wants)(void *context, uint32_t site);
    void (*handle)(void *context, const struct block *block);
};
void block_table_remove_wanted(struct block_table *table, const struct block_remover *remover);

/* The site of the block at `address`; false when there is none. */
bool block_table_peek(const struct block_table *table, uint64_t address, uint32_t *site);

/* Brings what a call for `address` will touch first into the cache. */
void block_table_prefetch(const struct block_table *table, uint64_t address);

/* Whether the sums are those of the pages. */
bool block_table_is_valid(const struct block_table *table);
uint64_t block_table_count(const struct block_table *table);
uint64_t block_table_bytes(const struct block_table *table); /* of our own memory */

/* Blocks that need more are not added: -ENOMEM.  What bytes there may be is exceeded once, by
 * less than twice that. */
struct block_limits {
    uint64_t bytes, pages; /* of our memory; pages of the program in which blocks begin */
};
void block_table_limit(struct block_table *table, const struct block_limits *most);
bool block_table_is_full(const struct block_table *table); /* of one of the two */
