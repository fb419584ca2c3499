/* pool_book.h - the books of blocks that the program's own allocators made, as told through
 * memoir.h.
 *
 * A block belongs to a filling of a pool (wire/told.h), or to none.  When a filling ends all its
 * blocks are freed, also those that are heard of later: their ring was read late.  Not
 * thread-safe.
 *
 * Fillings that ended are remembered for a while; a number that is far behind the newest is
 * taken for one of them. */
#pragma once

#include "capture/rings/ordering.h"

struct pool_book;

/* `begins_anew` as in ordering_create.  NULL when out of memory. */
struct pool_book *pool_book_create(bool begins_anew);
void pool_book_destroy(struct pool_book *book);

/* The filling `fill` begins, with a name or, when it has none, that of the one `before`, which
 * ends.  Either may be 0.  Its blocks that were freed, or -ENOMEM. */
int64_t pool_book_begin_fill(struct pool_book *book, uint32_t fill, uint32_t before, string_id name,
                             uint64_t time_ns);
/* The name of a filling; false when nobody has told of it yet. */
bool pool_book_name(const struct pool_book *book, uint32_t fill, string_id *name);

/* Room for sites (or threads) up to `count`; 0 or -ENOMEM. */
int pool_book_reserve(struct pool_book *book, uint32_t sites, uint32_t threads);

/* A HEAP_ALLOC or HEAP_FREE of a block in `fill`.  Returns as ordering_book does, and 1 as well
 * when the filling is not known yet; `now` books it all the same. */
int pool_book_event(struct pool_book *book, const struct heap_event *event, uint32_t fill, bool now,
                    struct quality *quality);

/* For cells, pins and totals. */
struct heap_book *pool_book_blocks(struct pool_book *book);
