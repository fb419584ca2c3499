/* pagemap.h - which pages of a process are in memory, and which in swap, from /proc/PID/pagemap.
 *
 * With PAGEMAP_SCAN (Linux 6.7) the kernel reports runs of pages, in 4 ms per resident GiB; before
 * that, 8 bytes are read per page.  Each call holds the lock that mmap and munmap of the process
 * wait for.  In gentle mode a call covers at most 8 MiB of resident pages and is followed by a
 * pause, so the process waits for a fraction of a millisecond at most.
 *
 * The zero page, which reads of untouched memory map, is not counted: RSS does not count it either.
 * Before 6.7, and as a huge page, it cannot be told from other pages.  Pages of hugetlbfs and of
 * devices are reported: before you compare with RSS, leave out regions with REGION_HUGETLB or
 * REGION_DEVICE. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum page_state {
    PAGE_PRESENT = 1 << 0,
    PAGE_SWAPPED = 1 << 1,
    PAGE_HUGE = 1 << 2, /* Part of a huge page; only known with PAGEMAP_SCAN. */
    /* Of a file or shared memory, and no private copy; only set if `tells_files`. */
    PAGE_OF_FILE = 1 << 3,
};

struct page_run {
    uint64_t start, end; /* Addresses. */
    unsigned state;      /* enum page_state */
};

struct pagemap {
    int fd;
    bool scans; /* The kernel has PAGEMAP_SCAN. */
    bool gentle;
    bool tells_files; /* Set by the caller after opening: report PAGE_OF_FILE, too. */
    /* Guard pages (MADV_GUARD_INSTALL) are left out; if false, they look swapped. */
    bool knows_guards;
};

/* Returns 0 or -errno; -ENOENT: no such process, -EACCES: not permitted. */
int pagemap_open(struct pagemap *pagemap, uint32_t pid, bool gentle);
void pagemap_close(struct pagemap *pagemap);

/* Calls `each` for each run of pages of equal state in start..end that are present or swapped, in
 * order.  Returns 0 or -errno; runs before a failure were reported.  Without PAGEMAP_SCAN, costs
 * one read per 2 MiB of addresses, resident or not. */
typedef void (*page_run_fn)(void *context, const struct page_run *run);
int pagemap_walk(const struct pagemap *pagemap, uint64_t start, uint64_t end, page_run_fn each,
                 void *context);

struct page_bytes {
    uint64_t resident, swapped, huge; /* `huge` is part of `resident`. */
};
int pagemap_count(const struct pagemap *pagemap, uint64_t start, uint64_t end,
                  struct page_bytes *bytes);
