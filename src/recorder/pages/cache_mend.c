/* SPDX-License-Identifier: Apache-2.0 */
/* cache_mend.c - compares what the book says is cached with what the kernel says. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "pages/cache_book.h"

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* As in linux/mman.h of 6.5. */
struct cache_range {
    uint64_t offset, size;
};
struct cache_counts {
    uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static int ask(int fd, uint64_t first, uint64_t pages, uint64_t *cached)
{
    struct cache_range const range = {first * BOOK_PAGE, pages * BOOK_PAGE}; /* 0: to the end */
    struct cache_counts counts;
    if (syscall(SYS_cachestat, fd, &range, &counts, 0) < 0)
        return -errno;
    *cached = counts.cached;
    return 0;
}

/* Finds which pages of a leaf are cached.  Asks page by page only if some, but not all, are. */
static int find_cached(int fd, const struct page_leaf *leaf, uint64_t *there)
{
    uint64_t const first = leaf->number * BOOK_LEAF_PAGES;
    uint64_t cached = 0;
    int err = ask(fd, first, BOOK_LEAF_PAGES, &cached);
    *there = cached == BOOK_LEAF_PAGES ? ~0ull : 0;
    if (err < 0 || cached == 0 || cached == BOOK_LEAF_PAGES)
        return err;
    for (uint64_t left = leaf->used; left && err == 0; left &= left - 1) {
        uint64_t const page = (uint64_t)__builtin_ctzll(left);
        err = ask(fd, first + page, 1, &cached);
        *there |= cached ? 1ull << page : 0;
    }
    return err;
}

/* The kernel's number of the device. */
static uint32_t device_of(const struct stat *facts)
{
    return (uint32_t)(major(facts->st_dev) << 20 | minor(facts->st_dev));
}

/* Takes out those pages of a leaf that are not cached, run by run. */
static void drop_uncached(struct cache_book *book, const struct cache_file *file, uint64_t number,
                          uint64_t gone)
{
    struct cache_span span = {.device = file->device, .inode = file->inode};
    while (gone) {
        unsigned const page = (unsigned)__builtin_ctzll(gone);
        uint64_t const rest = ~(gone >> page);
        span.first = number * BOOK_LEAF_PAGES + page;
        span.pages = rest ? (uint32_t)__builtin_ctzll(rest) : BOOK_LEAF_PAGES;
        gone &= page + span.pages >= BOOK_LEAF_PAGES ? 0 : ~0ull << (page + span.pages);
        cache_book_drop(book, &span);
    }
}

int cache_book_mend(struct cache_book *book, int fd, struct cache_drift *drift)
{
    struct stat facts;
    *drift = (struct cache_drift){.cached = 0};
    if (fstat(fd, &facts) < 0)
        return -errno;
    int err = ask(fd, 0, 0, &drift->cached);
    uint64_t const all_before = book->all_pages;
    const struct cache_file *file = cache_book_find(book, device_of(&facts), facts.st_ino);
    drift->is_known = file != NULL;
    for (size_t i = file ? file->book.leaves.count : 0; i-- > 0 && err == 0;) {
        const struct page_leaf *leaf = file->book.leaves.items[i].leaf;
        uint64_t there = 0;
        err = find_cached(fd, leaf, &there);
        if (err == 0 && leaf->used & ~there)
            drop_uncached(book, file, leaf->number, leaf->used & ~there);
        if (!cache_book_find(book, device_of(&facts), facts.st_ino))
            file = NULL; /* the last page of the file was dropped */
        if (!file)
            break;
    }
    uint64_t const owned = file ? file->pages : 0;
    drift->dropped = all_before - book->all_pages;
    drift->unknown = drift->cached > owned ? drift->cached - owned : 0;
    return err;
}
