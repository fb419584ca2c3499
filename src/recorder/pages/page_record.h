/* page_record.h - records of events (src/shared/wire/agent.h), from whatever source, into the books. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "pages/cache_book.h"
#include "pages/page_book.h"
#include "wire/agent.h"

/* Books one record of a process.  `stack` is what the record's stack is to the caller, who knows which copy was which; with
 * AGENT_STACK_NONE in the record it does not matter.  `cache` may be NULL.
 *
 * 1 when it was booked, 0 when it is nothing for books (AGENT_COPY, AGENT_FORK, AGENT_EXIT, ... are the caller's), -EINVAL when it is no
 * record: too short, or of a kind that is not known. */
int page_record_book(struct page_book *book, struct cache_book *cache, const void *bytes,
                     size_t size, uint32_t stack);
