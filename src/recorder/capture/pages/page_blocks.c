/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/page_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Blocks begin at multiples of 8 bytes, so no page has more; and one may reach in from before. */
#define PARTS_MAX (OWNER_PAGE / 8 + 1)

/* What one block has of a page. */
struct page_blocks_part {
    uint32_t site, live, slack;
};

struct sweep {
    const struct page_question *question;
    struct page_blocks *blocks;
    size_t span;   /* cursor in the present pages */
    uint64_t page; /* being looked at */
    struct page_blocks_part parts[PARTS_MAX];
    size_t part_count;
    struct block long_one; /* the block that reaches furthest */
    bool failed;
};

static uint64_t asked_end(const struct block *block)
{
    return block->address + block->size;
}

static uint64_t usable_end(const struct block *block)
{
    return block->address + block->size + block->slack;
}

/* Resident bytes of [start, end); calls must not go back. */
static uint64_t present_bytes(struct sweep *sweep, uint64_t start, uint64_t end)
{
    const struct page_question *question = sweep->question;
    uint64_t bytes = 0;
    while (sweep->span < question->present_count && question->present[sweep->span].end <= start)
        sweep->span++;
    for (size_t i = sweep->span; i < question->present_count; i++) {
        const struct page_span *span = &question->present[i];
        if (span->start >= end)
            break;
        uint64_t const from = span->start > start ? span->start : start;
        bytes += (span->end < end ? span->end : end) - from;
    }
    return bytes;
}

static void note_used(struct sweep *sweep, uint64_t start, uint64_t end)
{
    struct page_blocks *blocks = sweep->blocks;
    size_t const count = blocks->used.count;
    struct page_span *last = count ? &blocks->used.items[count - 1] : NULL;
    if (last && last->end >= start)
        last->end = end > last->end ? end : last->end;
    else if (!vec_push(&blocks->used, (struct page_span){start, end}))
        sweep->failed = true;
}

/* The bytes of [start, end) that are in the page. */
static uint32_t within_page(uint64_t page, uint64_t start, uint64_t end)
{
    uint64_t const from = start > page ? start : page;
    uint64_t const to = end < page + OWNER_PAGE ? end : page + OWNER_PAGE;
    return to > from ? (uint32_t)(to - from) : 0;
}

static void add_part(void *into, const struct block *block)
{
    struct sweep *sweep = into;
    if (sweep->part_count == PARTS_MAX || block->site >= sweep->question->site_count)
        return;
    sweep->parts[sweep->part_count++] = (struct page_blocks_part){
        block->site, within_page(sweep->page, block->address, asked_end(block)),
        within_page(sweep->page, asked_end(block), usable_end(block))};
    if (usable_end(block) > usable_end(&sweep->long_one))
        sweep->long_one = *block;
}

/* Gives the rest of the page to its blocks, in equal shares. */
static void give_rest(struct sweep *sweep, uint64_t rest)
{
    size_t const count = sweep->part_count;
    uint64_t end = sweep->page + OWNER_PAGE;
    if (page_is_earlier(sweep->question, sweep->page, &end) || count == 0) {
        sweep->blocks->unknown += rest;
        return;
    }
    uint64_t const share = rest / count, left = rest % count;
    for (size_t i = 0; i < count; i++)
        sweep->blocks->held[sweep->parts[i].site] += share + (i < left);
}

/* Books the parts of the page.  A lost free may leave blocks that lie over each other: then the
 * first ones have it. */
static void book_page(struct sweep *sweep)
{
    struct page_blocks *blocks = sweep->blocks;
    bool const is_present = present_bytes(sweep, sweep->page, sweep->page + OWNER_PAGE) > 0;
    uint64_t rest = OWNER_PAGE;
    if (sweep->part_count == 0)
        return;
    note_used(sweep, sweep->page, sweep->page + OWNER_PAGE);
    for (size_t i = 0; i < sweep->part_count; i++) {
        const struct page_blocks_part *part = &sweep->parts[i];
        uint64_t const live = part->live < rest ? part->live : rest;
        uint64_t const slack = part->slack < rest - live ? part->slack : rest - live;
        rest -= live + slack;
        if (is_present) {
            blocks->live[part->site] += live;
            blocks->held[part->site] += slack;
        } else {
            blocks->untouched += live;
        }
    }
    if (is_present)
        give_rest(sweep, rest);
}

static void begin_page(struct sweep *sweep, uint64_t page)
{
    struct block const reaching = sweep->long_one;
    sweep->page = page;
    sweep->part_count = 0;
    if (usable_end(&reaching) > page)
        add_part(sweep, &reaching);
}

/* The pages from `from` to `to` in which no block begins, but one may reach into. */
static void sweep_between(struct sweep *sweep, uint64_t from, uint64_t to)
{
    const struct block *block = &sweep->long_one;
    uint64_t const whole = asked_end(block) & ~(uint64_t)(OWNER_PAGE - 1);
    uint64_t const until = whole < to ? whole : to;
    if (until > from && block->site < sweep->question->site_count) {
        uint64_t const present = present_bytes(sweep, from, until);
        sweep->blocks->live[block->site] += present;
        sweep->blocks->untouched += until - from - present;
        note_used(sweep, from, until);
        from = until;
    }
    for (; from < to && from < usable_end(block); from += OWNER_PAGE) {
        begin_page(sweep, from);
        book_page(sweep);
    }
}

static void sweep_pages(struct sweep *sweep, const uint64_t *pages, size_t count)
{
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t const page = pages[i] * OWNER_PAGE;
        sweep_between(sweep, at, page);
        begin_page(sweep, page);
        block_table_visit_page(sweep->question->blocks, pages[i], add_part, sweep);
        book_page(sweep);
        at = page + OWNER_PAGE;
    }
    sweep_between(sweep, at, UINT64_MAX & ~(uint64_t)(OWNER_PAGE - 1));
}

int page_blocks_find(const struct page_question *question, struct page_blocks *blocks)
{
    struct sweep *sweep = calloc(1, sizeof(*sweep));
    uint64_t *pages = NULL;
    size_t count;
    memset(blocks, 0, sizeof(*blocks));
    blocks->live = calloc((size_t)question->site_count + 1, sizeof(uint64_t));
    blocks->held = calloc((size_t)question->site_count + 1, sizeof(uint64_t));
    int err = sweep && blocks->live && blocks->held
                  ? block_table_list_pages(question->blocks, &pages, &count)
                  : -ENOMEM;
    if (err == 0) {
        sweep->question = question;
        sweep->blocks = blocks;
        sweep_pages(sweep, pages, count);
        err = sweep->failed ? -ENOMEM : 0;
    }
    free(pages);
    free(sweep);
    return err;
}

void page_blocks_fini(struct page_blocks *blocks)
{
    free(blocks->live);
    free(blocks->held);
    vec_free(&blocks->used);
}

bool page_blocks_is_used(const struct page_blocks *blocks, uint64_t start, uint64_t end)
{
    size_t const at = vec_lower_bound(&blocks->used, span, span->end <= start);
    return at < blocks->used.count && blocks->used.items[at].start < end;
}
