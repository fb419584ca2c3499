/* pool_book.h - the books of blocks that the program's own allocators made, as told through
 * memoir.h.
 *
 * A block belongs to a filling of a pool (wire/told.h), or to none.  When a filling ends, all its
 * blocks are freed, also those that arrive later because their ring was read late.  Not
 * thread-safe.
 *
 * Ended fillings are remembered for a while; an unknown number far behind the newest is taken for
 * an ended filling. */
#pragma once

#include "capture/rings/ordering.h"

struct pool_book;

/* `begins_anew` as in ordering_create.  Returns NULL when out of memory. */
struct pool_book *pool_book_create(bool begins_anew);
void pool_book_destroy(struct pool_book *book);

/* Begins the filling `fill` and ends the filling `before`; either may be 0.  Without a name, `fill`
 * has that of `before`.  Returns the number of freed blocks, or -ENOMEM. */
int64_t pool_book_begin_fill(struct pool_book *book, uint32_t fill, uint32_t before, string_id name,
                             uint64_t time_ns);
/* Finds the name of a filling.  Returns false if the filling has not been told yet. */
bool pool_book_name(const struct pool_book *book, uint32_t fill, string_id *name);

/* Makes room for sites and threads below these numbers.  Returns 0 or -ENOMEM. */
int pool_book_reserve(struct pool_book *book, uint32_t sites, uint32_t threads);

/* Books a HEAP_ALLOC or HEAP_FREE of a block in `fill`.  Returns as ordering_book does, and 1 also
 * when the filling is not known yet; `now` books the event even so. */
int pool_book_event(struct pool_book *book, const struct heap_event *event, uint32_t fill, bool now,
                    struct quality *quality);

/* Returns the blocks, for cells, pins and totals. */
struct heap_book *pool_book_blocks(struct pool_book *book);
