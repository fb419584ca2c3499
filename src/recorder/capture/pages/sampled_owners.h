/* sampled_owners.h - whose resident pages are when only samples of the blocks are known.
 *
 * Which pages of the heap are whose cannot be told then, but how many bytes are live can be
 * estimated, by call stack.  So the heap's resident pages, which are counted, are split into
 * those estimates and one rest: held or free.  The sum stays exact. */
#pragma once

#include "capture/books/heap_book.h"
#include "capture/pages/page_owners.h"

/* Changes `owners`, found with the samples as blocks.  0 or -ENOMEM. */
int sampled_owners_split(const struct heap_book *heap, const struct page_question *question,
                         struct page_owners *owners);
