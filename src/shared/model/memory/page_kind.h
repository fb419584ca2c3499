/* page_kind.h - what a page of physical memory is used as, for the code that brought it there. */
#pragma once

/* Stored in recordings by number: append only, never reorder. */
enum page_kind {
    PAGE_ANON,   /* private memory in no file, resident; RssAnon is the sum */
    PAGE_FILE,   /* pages of mapped files, resident; RssFile */
    PAGE_SHMEM,  /* shared memory, resident; RssShmem */
    PAGE_SWAP,   /* was resident, is in swap now */
    PAGE_CACHE,  /* of files read or written, mapped or not: not in RSS by itself */
    PAGE_KERNEL, /* page tables, socket buffers, slab: not in RSS */
    PAGE_KINDS
};
#define PAGE_KINDS_RESIDENT 3 /* the first three: their sum is RSS */

/* Names of owners that are no call stack begin with a bracket; this one is asked for. */
#define PAGES_BEFORE_NAME "[resident before attach]"
