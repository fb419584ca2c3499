/* map_book.h - mappings that a program made itself, by address range: which site mapped a range,
 * and what is left of it.
 *
 * Ranges may be unmapped in parts, and replaced by new mappings.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/pages/page_owners.h"
#include "model/recording.h"

struct map_book;

struct map_book *map_book_create(void); /* NULL when out of memory. */
/* Like map_book_create, for memory that the program has named, which is counted in other
 * columns. */
struct map_book *map_book_create_for_regions(void);
void map_book_destroy(struct map_book *book);

/* Books a new mapping; first unmaps what it replaces, as the kernel does.  Returns 0, or -ENOMEM,
 * also if there would be more than two million pieces. */
int map_book_map(struct map_book *book, uint64_t start, uint64_t length, uint32_t site);
/* Books an unmapping; ignores bytes of the range that were not known.  Returns 0 or -ENOMEM. */
int map_book_unmap(struct map_book *book, uint64_t start, uint64_t length);

/* Adds what happened since the last call to the cells of `bucket`. */
int map_book_close_bucket(struct map_book *book, struct bucket *bucket);
/* Calls `visit` for what is mapped now, by address. */
void map_book_visit(const struct map_book *book,
                    void (*visit)(void *context, const struct owner_range *range), void *context);
/* Returns whether the ranges are in order, and add up to the totals. */
bool map_book_is_valid(const struct map_book *book);
void map_book_totals(const struct map_book *book, struct totals *totals);
