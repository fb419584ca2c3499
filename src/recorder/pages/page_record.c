/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_record.h"

#include <errno.h>
#include <string.h>

static void book_range(struct page_book *book, const struct agent_range *range, uint32_t stack)
{
    const struct agent_record *record = &range->record;
    if (record->kind == AGENT_LARGE)
        page_book_large(book, record->address, range->size);
    else if (record->kind == AGENT_RANGE)
        page_book_range(book, record->address, range->size, record->stack != AGENT_STACK_NONE,
                        stack);
    else
        (void)page_book_move(book, range->from, range->from_size, record->address, range->size);
}

static void book_cache(struct cache_book *cache, const struct agent_cache *news, uint32_t stack)
{
    struct cache_span const span = {.device = news->device,
                                    .inode = news->inode,
                                    .first = news->record.address,
                                    .pages = news->pages};
    if (news->record.kind == AGENT_CACHE_ADD)
        cache_book_add(cache, &span, stack);
    else
        cache_book_drop(cache, &span);
}

int page_record_book(struct page_book *book, struct cache_book *cache, const void *bytes,
                     size_t size, uint32_t stack)
{
    union {
        struct agent_record record;
        struct agent_range range;
        struct agent_cache cache;
    } news;
    if (size < sizeof(news.record))
        return -EINVAL;
    memcpy(&news, bytes, size < sizeof(news) ? size : sizeof(news));
    uint8_t const kind = news.record.kind;
    uint32_t const least = agent_record_least(kind);
    if (least == 0 || size < least)
        return -EINVAL;
    if (news.record.stack == AGENT_STACK_NONE)
        stack = PAGES_NO_STACK;
    switch (kind) {
    case AGENT_FAULT:
        page_book_fault(book, news.record.address, stack, news.record.flags & AGENT_WRITE);
        return 1;
    case AGENT_LARGE:
    case AGENT_RANGE:
    case AGENT_MOVE:
        book_range(book, &news.range, stack);
        return 1;
    case AGENT_EXEC:
        page_book_exec(book);
        return 1;
    case AGENT_CACHE_ADD:
    case AGENT_CACHE_DROP:
        if (cache)
            book_cache(cache, &news.cache, stack);
        return cache != NULL;
    default:
        return 0;
    }
}
