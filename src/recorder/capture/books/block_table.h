/* block_table.h - every live block of a process: its address, size, call site, thread and age.
 *
 * Blocks are kept by page of 4 KiB, 16 bytes each, in small tables: a program mostly goes on near
 * the address it used last, so the same table is used again.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_TIME_SHIFT 10 /* Number of low bits of a block's time that are not kept. */

struct block {
    uint64_t address;
    uint64_t size;
    uint64_t time_ns; /* Kept to 1 us, modulo some 100 days. */
    uint64_t slack;   /* Usable size minus `size`. */
    uint32_t site;    /* Below 2^22. */
    uint32_t thread;  /* Below 2^12. */
};

struct block_table;

struct block_table *block_table_create(void); /* NULL when out of memory. */
void block_table_destroy(struct block_table *table);

/* Adds a block.  Returns 0; 1 if a block at this address was still there, because its removal was
 * missed: it is removed into *missed; -ENOMEM; or -EINVAL for an address below 8 or not at a
 * word. */
int block_table_insert(struct block_table *table, const struct block *block, struct block *missed);

/* Removes the block at `address` into *block.  Returns false if there is none. */
bool block_table_remove(struct block_table *table, uint64_t address, struct block *block);

/* Calls `visit` for every block; the table must not change meanwhile. */
typedef void block_visitor(void *context, const struct block *block);
void block_table_visit(const struct block_table *table, block_visitor *visit, void *context);

/* Lists the numbers (address / 4096) of pages in which blocks begin, in ascending order.  Returns 0
 * with *pages the caller's to free, or -ENOMEM. */
int block_table_list_pages(const struct block_table *table, uint64_t **pages, size_t *count);
/* Calls `visit` for the blocks that begin in one page, in no order. */
void block_table_visit_page(const struct block_table *table, uint64_t page, block_visitor *visit,
                            void *context);

/* Removes every block whose site `wants` accepts, and passes each to `handle`. */
struct block_remover {
    void *context;
    bool (*wants)(void *context, uint32_t site);
    void (*handle)(void *context, const struct block *block);
};
void block_table_remove_wanted(struct block_table *table, const struct block_remover *remover);

/* Finds the site of the block at `address`.  Returns false if there is none. */
bool block_table_peek(const struct block_table *table, uint64_t address, uint32_t *site);

/* Brings what a call for `address` will touch first into the processor's cache. */
void block_table_prefetch(const struct block_table *table, uint64_t address);

/* Returns whether the sums of the table are those of its pages. */
bool block_table_is_valid(const struct block_table *table);
uint64_t block_table_count(const struct block_table *table);
uint64_t block_table_bytes(const struct block_table *table); /* Of our own memory. */

/* A block that needs more is not added: -ENOMEM.  `bytes` may be exceeded once, by less than twice
 * its value. */
struct block_limits {
    uint64_t bytes, pages; /* Bytes of our memory; pages of the program in which blocks begin. */
};
void block_table_limit(struct block_table *table, const struct block_limits *most);
bool block_table_is_full(const struct block_table *table); /* One of the two limits is reached. */
