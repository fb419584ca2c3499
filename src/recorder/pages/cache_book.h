/* cache_book.h - which call stack brought each page of a file into the page cache.
 *
 * The book is fed by AGENT_CACHE_ADD and AGENT_CACHE_DROP records.  A file is known by device and
 * inode, as the kernel numbers them.  Pages that were cached before the recording, and drops of
 * such pages, are unknown here.  Each file has a page_book (page_book.h); one memory limit holds
 * for all files.  Pages that do not fit are counted in `full`.  The kernel's cachestat (Linux 6.5)
 * says how many pages of a file are really cached: cache_book_mend compares the book with it, for
 * files that can be opened.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/number_map.h"
#include "base/vec.h"
#include "pages/page_book.h"
#include "pages/page_parts.h"

/* Consecutive pages of one file. */
struct cache_span {
    uint64_t inode, first; /* `first`: number of the first page in the file. */
    uint32_t device, pages;
};

struct cache_file {
    uint64_t inode;
    uint32_t device;
    uint64_t pages; /* Cached pages of the file whose owner is known. */
    struct page_book book;
};

struct cache_book {
    /* Hash of device and inode -> index in `files` + 1.  Colliding files use the next free hash. */
    struct number_map index;
    VEC(struct cache_file) files;
    /* Pages per owner, by page_owner_key: now, and at the last cache_book_changes. */
    struct number_map pages, told;
    size_t memory_max, memory; /* Limit and current use, in bytes. */
    uint64_t all_pages;        /* Sum of `pages` of all files. */
    uint64_t full;             /* Pages that were not booked because memory was full. */
    uint64_t strange;          /* Drops of pages that the book did not have. */
};

/* `memory_max` is in bytes; 0 means 256 MiB. */
void cache_book_init(struct cache_book *book, size_t memory_max);
void cache_book_fini(struct cache_book *book);

/* Books pages that came into the page cache, with `stack` as their owner. */
void cache_book_add(struct cache_book *book, const struct cache_span *span, uint32_t stack);
/* Removes pages that left the page cache. */
void cache_book_drop(struct cache_book *book, const struct cache_span *span);
/* Returns the file, or NULL if the book has no page of it.  The pointer is valid until the book
 * changes.  To iterate over all files, use `files`. */
const struct cache_file *cache_book_find(const struct cache_book *book, uint32_t device,
                                         uint64_t inode);

/* Fills `changes` with the change per stack since the last call.  Returns 0 or -ENOMEM; after
 * -ENOMEM the next call reports these changes. */
int cache_book_changes(struct cache_book *book, struct page_parts *changes);

struct cache_drift {
    uint64_t cached; /* Pages of the file that are cached, according to the kernel. */
    /* Cached pages without an owner: cached before the recording, by other processes, or because
     * events were lost. */
    uint64_t unknown;
    uint64_t dropped; /* Pages of the book that are no longer cached; they were removed now. */
    bool is_known;    /* The book had at least one page of the file. */
};
/* Compares the book with the kernel for one open file, and removes pages from the book that are no
 * longer cached.  Returns 0 or -errno: -ENOSYS if the kernel has no cachestat, -EBADF or
 * -EOPNOTSUPP if the page cache does not hold files of this kind. */
int cache_book_mend(struct cache_book *book, int fd, struct cache_drift *drift);
