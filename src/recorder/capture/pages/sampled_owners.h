/* sampled_owners.h - who owns the resident pages when only samples of the blocks are known.
 *
 * Then the owner of each heap page is unknown, but the live bytes can be estimated, by call stack.
 * So the heap's resident pages, which are counted, are split into those estimates and one rest:
 * held or free.  The sum stays exact. */
#pragma once

#include "capture/books/heap_book.h"
#include "capture/pages/page_owners.h"

/* Changes `owners`, which were found with the samples as blocks.  Returns 0 or -ENOMEM. */
int sampled_owners_split(const struct heap_book *heap, const struct page_question *question,
                         struct page_owners *owners);
