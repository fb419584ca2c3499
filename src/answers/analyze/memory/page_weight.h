/* page_weight.h - how much physical memory a call stack has, now, each page of it once.
 *
 * A page of a mapped file is in two metrics: pages.file where it was mapped, and pages.cache
 * where it was brought into the page cache, which is mostly the same stack, because the fault
 * that maps a page also reads it.  So of a stack's cache only what is more than its mapped pages
 * counts in addition:
 *
 *     cache = max(pages.file, pages.cache)
 *     value = pages.anon + pages.shmem + pages.kernel + cache = pages.resident + pages.kernel +
 *     max(0, pages.cache - pages.file)
 *
 * Hence a stack never counts a page twice, and the sum over all stacks is at least resident +
 * kernel. What is left: a page that one function reads and another one maps belongs to both.
 * Swap is not physical memory. */
#pragma once

#include "analyze/sums/running.h"
#include "model/memory/page_kind.h"

enum page_sum {
    PAGE_SUM_VALUE,
    PAGE_SUM_CACHE,  /* of it, page cache, mapped or not */
    PAGE_SUM_KIND_0, /* + enum page_kind: as recorded */
    PAGE_SUMS = PAGE_SUM_KIND_0 + PAGE_KINDS
};
#define PAGE_SUMS_COMMON PAGE_SUM_KIND_0 /* value and cache only */

/* Fills the first `width` sums of a stack, in units of so many bytes, rounded down.  false when
 * all of them are 0. */
bool page_weigh(const struct running *running, stack_id stack, uint64_t unit_bytes, uint64_t *sums,
                unsigned width);

/* Adds; false, with nothing changed, when the sum would be more than any machine has: the
 * recording is damaged. */
bool page_sums_add(uint64_t *to, const uint64_t *from, unsigned width);

/* Of all stacks.  0 or -ERANGE, as above. */
int page_weigh_all(const struct running *running, uint64_t unit_bytes, uint64_t *sums,
                   unsigned width);
