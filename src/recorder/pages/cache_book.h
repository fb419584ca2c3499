/* cache_book.h - which call stack brought each page of a file into the page cache.
 *
 * Told by AGENT_CACHE_ADD and AGENT_CACHE_DROP, by file (device and inode, as the kernel numbers them) and page of the file.  Pages
 * that were cached before, and their drops, are unknown here.  Kept like page_book.h, one per file, with one bound for all: what
 * does not fit is counted in `full`.  cachestat (Linux 6.5) tells how many pages of a file are cached in truth: cache_book_mend asks
 * it, where the file can be opened.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/number_map.h"
#include "base/vec.h"
#include "pages/page_book.h"
#include "pages/page_parts.h"

struct cache_span {
    uint64_t inode, first; /* page of the file */
    uint32_t device, pages;
};

struct cache_file {
    uint64_t inode;
    uint32_t device;
    uint64_t pages; /* in the cache, with an owner */
    struct page_book book;
};

struct cache_book {
    struct number_map
        index; /* a hash of device and inode -> place in `files`, + 1; the first of a chain */
    VEC(struct cache_file) files;
    struct number_map pages,
        told; /* by page_owner_key: now, and when changes were last asked for */
    size_t memory_max, memory;
    uint64_t all_pages;
    uint64_t full;    /* pages not booked, for lack of room */
    uint64_t strange; /* drops of pages that were not known */
};

/* `memory_max` in bytes; 0: 256 MiB. */
void cache_book_init(struct cache_book *book, size_t memory_max);
void cache_book_fini(struct cache_book *book);

void cache_book_add(struct cache_book *book, const struct cache_span *span, uint32_t stack);
void cache_book_drop(struct cache_book *book, const struct cache_span *span);
/* The file, or NULL; valid until the book changes.  All files: `files`. */
const struct cache_file *cache_book_find(const struct cache_book *book, uint32_t device,
                                         uint64_t inode);

/* What each stack has more or less than when this was called last.  0 or -ENOMEM: then nothing changed. */
int cache_book_changes(struct cache_book *book, struct page_parts *changes);

struct cache_drift {
    uint64_t cached;  /* pages of the file that the kernel has */
    uint64_t unknown; /* of them, those without an owner: cached before, or by others, or lost */
    uint64_t dropped; /* owners of pages that are not cached any more: taken out now */
    bool is_known;    /* any of its pages was in the book */
};
/* Compares what the book has of a file with what the kernel has, and takes out what is not there.  0 or -errno: -ENOSYS when the kernel
 * cannot tell, -EBADF or -EOPNOTSUPP when the file is none that is cached. */
int cache_book_mend(struct cache_book *book, int fd, struct cache_drift *drift);
