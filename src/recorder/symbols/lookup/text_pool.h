/* text_pool.h - keeps each distinct text once, until the pool is destroyed.
 *
 * Control characters of hostile names become '?', so that no name can break a line of a report or
 * move a terminal's cursor. */
#pragma once

#include <stddef.h>

struct text_pool;

struct text_pool *text_pool_create(void); /* NULL when out of memory. */
void text_pool_destroy(struct text_pool *pool);

/* Returns the pool's copy of `text`; "" when out of memory.  A text longer than 64 KiB is cut. */
const char *text_pool_keep(struct text_pool *pool, const char *text, size_t size);

/* Returns the readable form of `kept`, which must come from text_pool_keep; made once, then
 * remembered. */
const char *text_pool_readable(struct text_pool *pool, const char *kept);
