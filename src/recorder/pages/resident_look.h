/* resident_look.h - one look at all pages of a process that are resident or in swap: finds the
 * owner of each page.
 *
 * Reads maps and pagemap in slices; each slice holds the process up for a fraction of a
 * millisecond.  After a slice is read, and before its pages get owners, all pending events are
 * booked.  Cost: 25 to 50 ns of CPU time per page; 100 ns where the kernel must be asked for each
 * page whether it is a private copy of a page of a file.  The kernel's memory counters are read
 * before and after.  If the process does not run meanwhile, they equal the sums here, per kind;
 * otherwise they only show how much changed. */
#pragma once

#include <stdint.h>

#include "pages/page_book.h"
#include "pages/page_join.h"
#include "pages/page_parts.h"
#include "procfs/memory/mapping_kind.h"
#include "procfs/memory/memory_status.h"

/* State of one process between looks.  Initialise with zeros. */
struct resident_look {
    struct number_map pages; /* Pages at the last look, by page_owner_key. */
    struct mapping_kinds mappings;
};

struct resident_result {
    struct page_parts parts;         /* All pages. */
    struct page_parts changes;       /* Change since the previous look; a decrease is negative. */
    uint64_t bytes[LOOK_KINDS];      /* Sums of `parts` by enum page_kind. */
    uint64_t rule_bytes[PAGE_RULES]; /* Resident bytes by how they got their owner. */
    uint64_t uncounted_bytes;        /* Pages of devices; the kernel does not count them either. */
    uint64_t dropped;                /* Keys removed from the book because their pages are gone. */
    struct memory_status before, after; /* Kernel counters. */
    uint64_t took_ns;
};

/* Callback that books every event that has arrived so far. */
typedef void (*catch_up_fn)(void *context);

/* Looks at all pages.  Returns 0 or -errno: -ESRCH or -ENOENT if the process has ended or ends
 * meanwhile, -EACCES if its pages may not be read.  On failure `result` is empty, and the next look
 * reports changes since the last successful look; the book agrees with that.  The caller frees the
 * result with resident_result_fini. */
int resident_look_run(struct resident_look *look, uint32_t pid, struct page_book *book,
                      catch_up_fn catch_up, void *context, struct resident_result *result);
/* Reports all pages as gone: when a process ends, or before an exec gives its stacks another
 * meaning.  Returns 0 or -ENOMEM. */
int resident_look_clear(struct resident_look *look, struct page_parts *changes);
void resident_result_fini(struct resident_result *result);
void resident_look_fini(struct resident_look *look);
