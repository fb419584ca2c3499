/* owner.h - the owners of the resident memory of a process.  Their parts add up to the resident
 * size. */
#pragma once

#include <stdint.h>

#include "model/memory/page_kind.h"

/* Stored in recordings by number: append only, never reorder. */
enum owner_kind {
    OWNER_LIVE, /* Requested bytes of live blocks, by the call stack of the allocation. */
    /* Unused bytes of pages with live blocks, by the stacks of these blocks. */
    OWNER_HELD,
    OWNER_KEPT,    /* Heap pages without blocks, by arena. */
    OWNER_MAPPED,  /* Memory that the program mapped itself, by call stack. */
    OWNER_STACK,   /* Stacks, by thread. */
    OWNER_FILE,    /* Files and libraries, with their data, by path. */
    OWNER_RUNTIME, /* The heap of a language runtime. */
    OWNER_OWN,     /* Memory of memoir itself. */
    OWNER_BEFORE,  /* Heap pages that were resident before recording began. */
    OWNER_OTHER,   /* Unknown. */
    OWNER_KINDS
};

/* Kinds of memory that no hook saw being allocated; there the code that touched a page first is
 * recorded instead.  Stored by index: append only. */
#define OWNERS_TOUCHED 4
extern const enum owner_kind owner_touched_kinds[OWNERS_TOUCHED];
extern const char *const owner_touched_metrics[OWNERS_TOUCHED];
/* Returns the index of a kind in owner_touched_kinds; OWNERS_TOUCHED if it is not there. */
unsigned owner_touched_place(enum owner_kind kind);

struct owner_words {
    const char *metric; /* "heap.held" */
    const char *name;   /* "heap, held", for tables. */
};
extern const struct owner_words owner_words[OWNER_KINDS];
extern const struct owner_words page_words[PAGE_KINDS]; /* For memory known by page kind. */

/* One snapshot of the resident pages. */
struct residency {
    uint64_t looks;        /* Number of snapshots so far; 0: the other fields mean nothing. */
    uint64_t time_ns;      /* Time of the last snapshot, since the recording began. */
    uint64_t walked_bytes; /* Resident bytes by the page tables: the sum of all parts. */
    uint64_t rss_before_bytes, rss_after_bytes; /* RSS by the kernel before and after. */
    uint64_t untouched_bytes;                   /* Bytes of live blocks that are not resident. */
    uint64_t took_ns;
    uint64_t reserved_bytes; /* Mapped by the program itself and not resident. */
};
