/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/cache_book.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/hash.h"
#include "check.h"

static struct cache_span span_of(uint64_t inode, uint64_t first, uint32_t pages)
{
    return (struct cache_span){.inode = inode, .first = first, .device = 7, .pages = pages};
}

static uint32_t pages_of(const struct cache_book *book, uint32_t stack)
{
    return number_map_get(&book->pages, page_owner_key(stack, PAGE_CACHE));
}

TEST(pages_belong_to_who_brought_them_in)
{
    struct cache_book book;
    struct page_parts changes;
    cache_book_init(&book, 0);
    cache_book_add(&book, &(struct cache_span){5, 60, 7, 16}, 1);
    cache_book_add(&book, &(struct cache_span){5, 100000, 7, 512}, 2);
    cache_book_add(&book, &(struct cache_span){6, 0, 7, 1}, 2);
    CHECK(pages_of(&book, 1) == 16 && pages_of(&book, 2) == 513 && book.all_pages == 529);
    CHECK(cache_book_find(&book, 7, 5)->pages == 528 && !cache_book_find(&book, 8, 5));
    CHECK(cache_book_changes(&book, &changes) == 0 && changes.list.count == 2);
    CHECK(changes.list.items[1].stack == 2 && changes.list.items[1].kind == PAGE_CACHE);
    CHECK(changes.list.items[1].bytes == 513 * 4096);
    page_parts_fini(&changes);
    struct cache_span span = span_of(5, 62, 4);
    cache_book_drop(&book, &span);
    cache_book_drop(&book, &span); /* again: it is not known now */
    CHECK(pages_of(&book, 1) == 12 && book.strange == 1);
    span = span_of(5, 60, 2);
    cache_book_add(&book, &span, 3); /* their drop was lost */
    CHECK(pages_of(&book, 1) == 10 && pages_of(&book, 3) == 2);
    CHECK(cache_book_changes(&book, &changes) == 0 && changes.list.count == 2);
    CHECK(changes.list.items[0].bytes == -6 * 4096 && changes.list.items[1].bytes == 2 * 4096);
    page_parts_fini(&changes);
    span = span_of(6, 0, 1);
    cache_book_drop(&book, &span);
    CHECK(!cache_book_find(&book, 7, 6) && book.files.count == 1);
    cache_book_fini(&book);
}

/* Random adds and drops, against an array. */
TEST(a_random_history_adds_up)
{
    enum { FILES = 5, PAGES = 300, STACKS = 7 };
    static uint8_t truth[FILES][PAGES];
    struct cache_book book;
    uint32_t sums[STACKS + 1] = {0};
    memset(truth, 0, sizeof(truth));
    cache_book_init(&book, 0);
    for (uint64_t i = 1; i < 20000; i++) {
        uint64_t const bits = hash_mix(i);
        uint32_t const file = bits % FILES, first = bits >> 8 & 255,
                       stack = 1 + (bits >> 16) % STACKS;
        uint32_t const pages = 1u << (bits >> 24) % 6;
        struct cache_span const span = span_of(file, first, pages);
        bool const adds = bits >> 32 & 1;
        if (adds)
            cache_book_add(&book, &span, stack);
        else
            cache_book_drop(&book, &span);
        for (uint32_t k = first; k < first + pages && k < PAGES; k++)
            truth[file][k] = adds ? (uint8_t)stack : 0;
    }
    for (unsigned file = 0; file < FILES; file++) {
        for (unsigned k = 0; k < PAGES; k++)
            sums[truth[file][k]]++;
    }
    uint64_t all = 0;
    for (unsigned stack = 1; stack <= STACKS; stack++) {
        CHECK(pages_of(&book, stack) == sums[stack]);
        all += sums[stack];
    }
    CHECK(all == book.all_pages);
    cache_book_fini(&book);
}

TEST(a_full_book_counts_what_it_forgets)
{
    struct cache_book book;
    cache_book_init(&book, 20000);
    for (uint64_t i = 0; i < 100; i++) {
        struct cache_span const span = span_of(i, 0, 4);
        cache_book_add(&book, &span, 1);
    }
    CHECK(book.full > 0 && book.full + book.all_pages == 400 && book.memory <= 20000);
    for (uint64_t i = 0; i < 100; i++) {
        struct cache_span const span = span_of(i, 0, 4);
        cache_book_drop(&book, &span);
    }
    CHECK(book.all_pages == 0 && book.memory == 0 && book.files.count == 0);
    cache_book_fini(&book);
}

/* A real file: what the kernel has of it, what the book believes. */
TEST(the_kernel_is_asked_what_is_cached)
{
    char name[] = "/var/tmp/memoir-cache-XXXXXX", page[4096];
    struct cache_book book;
    struct cache_drift drift;
    struct stat facts;
    int const fd = mkstemp(name);
    CHECK(fd >= 0);
    unlink(name);
    memset(page, 1, sizeof(page));
    for (unsigned i = 0; i < 200; i++)
        CHECK(write(fd, page, sizeof(page)) == (ssize_t)sizeof(page));
    CHECK(fsync(fd) == 0 && fstat(fd, &facts) == 0);
    cache_book_init(&book, 0);
    struct cache_span span = {.inode = facts.st_ino,
                              .device = (uint32_t)(major(facts.st_dev) << 20 | minor(facts.st_dev)),
                              .pages = 180};
    cache_book_add(&book, &span, 1);
    span.first = 1000; /* past the end: never there */
    span.pages = 30;
    cache_book_add(&book, &span, 2);
    int const err = cache_book_mend(&book, fd, &drift);
    if (err == -ENOSYS || err == -EPERM) {
        print_message("no cachestat here\n");
    } else {
        CHECK(err == 0 && drift.is_known && drift.cached == 200);
        CHECK(drift.dropped == 30 && drift.unknown == 20);
        CHECK(pages_of(&book, 1) == 180 && pages_of(&book, 2) == 0);
        posix_fadvise(fd, 64 * 4096, 10 * 4096, POSIX_FADV_DONTNEED);
        CHECK(cache_book_mend(&book, fd, &drift) == 0);
        CHECK(pages_of(&book, 1) == 180 - drift.dropped && drift.cached == 200 - drift.dropped);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        CHECK(cache_book_mend(&book, fd, &drift) == 0);
        CHECK(drift.cached > 0 || (book.all_pages == 0 && book.files.count == 0));
    }
    cache_book_fini(&book);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pages_belong_to_who_brought_them_in),
                                       cmocka_unit_test(a_random_history_adds_up),
                                       cmocka_unit_test(a_full_book_counts_what_it_forgets),
                                       cmocka_unit_test(the_kernel_is_asked_what_is_cached)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
