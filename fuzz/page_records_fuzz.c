/* SPDX-License-Identifier: Apache-2.0 */
/* page_records_fuzz.c - any records, in any order, with looks in between, into small books.
 *
 * The input is a list of records: a byte for its size, and its bytes; size 0 is a look at pages
 * that follow from the next byte.  Whatever it is, books stay within their bounds, and a look
 * has as many pages as it was shown. */
#include <stdlib.h>
#include <string.h>

#include "pages/page_join.h"
#include "pages/page_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MEMORY_MAX 65536u

static void look(struct page_book *book, uint8_t what)
{
    struct page_join join;
    uint64_t shown = 0, told = 0;
    page_join_begin(&join, book);
    for (unsigned i = 0; i < 8; i++) {
        struct join_run const run = {.start = (uint64_t)i << 16 | (uint64_t)(what & 3) << 12,
                                     .end = ((uint64_t)i << 16) + (1 + (what >> i & 7)) * 8192u,
                                     .kind = (what >> i) % LOOK_KINDS,
                                     .is_huge = what & 1,
                                     .area_start = (uint64_t)(what & 7) << 12,
                                     .area_end = 1 << 20};
        page_join_run(&join, &run);
    }
    if (page_join_end(&join) < 0)
        abort();
    for (unsigned i = 0; i < LOOK_KINDS; i++)
        shown += join.bytes[i] / BOOK_PAGE;
    for (size_t i = 0; i < join.pages.room; i++)
        told += join.pages.items[i].value;
    if (shown != told)
        abort();
    page_join_fini(&join);
}

/* All pages of the cache, counted in three ways. */
static void check_cache(const struct cache_book *cache)
{
    uint64_t by_file = 0, by_stack = 0;
    vec_each (file, &cache->files)
        by_file += file->pages;
    for (size_t i = 0; i < cache->pages.room; i++)
        by_stack += cache->pages.items[i].value;
    if (by_file != cache->all_pages || by_stack != cache->all_pages || cache->memory > MEMORY_MAX)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct page_book book, child;
    struct cache_book cache;
    struct page_parts changes;
    page_book_init(&book, MEMORY_MAX, false);
    cache_book_init(&cache, MEMORY_MAX);
    for (size_t at = 0; at < size;) {
        size_t const length = data[at] < size - at - 1 ? data[at] : size - at - 1;
        if (length == 0) {
            look(&book, at + 1 < size ? data[at + 1] : 0);
            at += 2;
            continue;
        }
        struct agent_record record = {.kind = 0};
        memcpy(&record, data + at + 1, length < sizeof(record) ? length : sizeof(record));
        page_record_book(&book, &cache, data + at + 1, length, record.stack & 15);
        if (record.kind == AGENT_FORK && page_book_copy(&book, &child) == 0) {
            look(&child, (uint8_t)record.address);
            page_book_fini(&child);
        }
        at += length + 1;
    }
    look(&book, 255);
    check_cache(&cache);
    if (cache_book_changes(&cache, &changes) == 0)
        page_parts_fini(&changes);
    if (page_book_memory(&book) > 4 * MEMORY_MAX)
        abort();
    page_book_fini(&book);
    cache_book_fini(&cache);
    return 0;
}
