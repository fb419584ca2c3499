/* owner.h - the owners of the resident memory of a process: the parts that its resident size is the
 * sum of. */
#pragma once

#include <stdint.h>

#include "model/memory/page_kind.h"

/* Stored in recordings by number: append only, never reorder. */
enum owner_kind {
    OWNER_LIVE, /* bytes asked for, of live blocks, by the call stack that asked */
    /* bytes of pages that live blocks are in and do not use, by the stacks of those blocks */
    OWNER_HELD,
    OWNER_KEPT,    /* pages of the heap without any block, by arena */
    OWNER_MAPPED,  /* memory that the program mapped itself, by call stack */
    OWNER_STACK,   /* by thread */
    OWNER_FILE,    /* files and libraries, with their data, by path */
    OWNER_RUNTIME, /* the heap of a language's runtime */
    OWNER_OWN,     /* memoir's */
    OWNER_BEFORE,  /* pages of the heap that were there before we looked */
    OWNER_OTHER,   /* not known */
    OWNER_KINDS
};

/* Kinds of memory that no hook saw being asked for, so that the code that touched it is worth
 * knowing. Numbers by place: append only. */
#define OWNERS_TOUCHED 4
extern const enum owner_kind owner_touched_kinds[OWNERS_TOUCHED];
extern const char *const owner_touched_metrics[OWNERS_TOUCHED];
/* The place of a kind among them; OWNERS_TOUCHED: it is none of them. */
unsigned owner_touched_place(enum owner_kind kind);

struct owner_words {
    const char *metric; /* "heap.held" */
    const char *name;   /* "heap, held": for tables */
};
extern const struct owner_words owner_words[OWNER_KINDS];
extern const struct owner_words page_words[PAGE_KINDS]; /* of memory that is known by its pages */

/* One time at which the pages were looked at. */
struct residency {
    uint64_t looks;        /* so far; 0: there was none, the rest is nothing */
    uint64_t time_ns;      /* of the last one, since the recording began */
    uint64_t walked_bytes; /* resident by the page tables: what the parts add up to */
    uint64_t rss_before_bytes, rss_after_bytes; /* what the kernel counted before and after it */
    uint64_t untouched_bytes;                   /* of live blocks, not resident */
    uint64_t took_ns;
    uint64_t reserved_bytes; /* mapped by the program itself, not resident */
};
