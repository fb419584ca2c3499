/* resident_look.h - one look at all pages of a process that are resident or in swap, and whose they are.
 *
 * Reads maps and pagemap in slices that hold the process up for a fraction of a millisecond each, and brings the book up to date
 * between seeing a slice and judging it.  25 to 50 ns of CPU time per page, 100 where each must be asked
 * whether it is a private copy of a file's.  The kernel's counters are read before and after: on a
 * process that stands still they equal the sums here, per kind; else they bound nothing, but tell how much moved. */
#pragma once

#include <stdint.h>

#include "pages/page_book.h"
#include "pages/page_join.h"
#include "pages/page_parts.h"
#include "procfs/memory/mapping_kind.h"
#include "procfs/memory/memory_status.h"

/* Of one process, from look to look.  All zero to begin. */
struct resident_look {
    struct number_map pages; /* of the last one, by page_owner_key */
    struct mapping_kinds mappings;
};

struct resident_result {
    struct page_parts parts;   /* all of them */
    struct page_parts changes; /* what each has more, or less (negative), than at the look before */
    uint64_t bytes[LOOK_KINDS];      /* by enum page_kind: the sums of `parts` */
    uint64_t rule_bytes[PAGE_RULES]; /* of what is resident: how it came to its owner */
    uint64_t uncounted_bytes;        /* pages of devices, which the kernel does not count either */
    uint64_t dropped;                /* keys of pages that are gone */
    struct memory_status before, after;
    uint64_t took_ns;
};

/* Books every event that has come so far. */
typedef void (*catch_up_fn)(void *context);

/* 0 or -errno: -ESRCH or -ENOENT when the process is gone or goes meanwhile, -EACCES when its pages may not be looked at; then
 * `result` is empty, and what changed since is against the last look that succeeded, in the book too.  The caller ends the result with resident_result_fini. */
int resident_look_take(struct resident_look *look, uint32_t pid, struct page_book *book,
                       catch_up_fn catch_up, void *context, struct resident_result *result);
/* As if all pages went: to end a process, or before an exec changes what its stacks mean. */
int resident_look_clear(struct resident_look *look, struct page_parts *changes);
void resident_result_fini(struct resident_result *result);
void resident_look_fini(struct resident_look *look);
