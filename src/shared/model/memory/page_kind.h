/* page_kind.h - what a page of physical memory is used for. */
#pragma once

/* Stored in recordings by number: append only, never reorder. */
enum page_kind {
    PAGE_ANON,   /* Resident private memory that is not of a file; the sum is RssAnon. */
    PAGE_FILE,   /* Resident pages of mapped files; RssFile. */
    PAGE_SHMEM,  /* Resident shared memory; RssShmem. */
    PAGE_SWAP,   /* Swapped out. */
    PAGE_CACHE,  /* Page cache of files that were read or written: not part of RSS by itself. */
    PAGE_KERNEL, /* Page tables, socket buffers, slab: not part of RSS. */
    PAGE_KINDS
};
#define PAGE_KINDS_RESIDENT 3 /* The sum of the first three is RSS. */

/* Owners that are not call stacks have names in brackets.  Code looks for this one: */
#define PAGES_BEFORE_NAME "[resident before attach]"
