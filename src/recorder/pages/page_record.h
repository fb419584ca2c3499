/* page_record.h - enters event records (src/shared/wire/agent.h) of any source into the books. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "pages/cache_book.h"
#include "pages/page_book.h"
#include "wire/agent.h"

/* Books one record of a process.  `stack` is the caller's number for the record's stack; it is
 * ignored if the record has AGENT_STACK_NONE.  `cache` may be NULL.
 *
 * Returns 1 if the record was booked, 0 if the record is not for the books (the caller handles
 * AGENT_COPY, AGENT_FORK, AGENT_EXIT, ...), -EINVAL if the bytes are not a record: too short, or of
 * an unknown kind. */
int page_record_book(struct page_book *book, struct cache_book *cache, const void *bytes,
                     size_t size, uint32_t stack);
