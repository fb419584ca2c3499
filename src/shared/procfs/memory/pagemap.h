/* pagemap.h - which pages of a process are in memory, and which in swap, from /proc/PID/pagemap.
 *
 * With PAGEMAP_SCAN (Linux 6.7) the kernel answers in runs of pages at 4 ms per resident GiB;
 * before that, 8 bytes are read per page. The lock that mmap and munmap of the process wait for
 * is held for one call.  In gentle mode a call covers at most 8 MiB of resident pages and a
 * pause follows it, so nothing there waits for more than a fraction of a millisecond.
 *
 * The page of zeros that untouched memory reads is not counted, as the kernel does not count it
 * in RSS; but before 6.7, and as a huge page, it cannot be told from others.  Pages of hugetlbfs
 * and of devices are reported: compare with RSS without regions with REGION_HUGETLB
 * or REGION_DEVICE. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum page_state {
    PAGE_PRESENT = 1 << 0,
    PAGE_SWAPPED = 1 << 1,
    PAGE_HUGE = 1 << 2, /* part of a huge page; only known with PAGEMAP_SCAN */
    PAGE_OF_FILE =
        1 << 3, /* of a file or of shared memory, and no private copy; only told if `tells_files` */
};

struct page_run {
    uint64_t start, end; /* addresses */
    unsigned state;      /* enum page_state */
};

struct pagemap {
    int fd;
    bool scans; /* the kernel has PAGEMAP_SCAN */
    bool gentle;
    bool tells_files; /* set it after opening: PAGE_OF_FILE is wanted, too */
    /* pages that MADV_GUARD_INSTALL made are in no run; else they look swapped */
    bool knows_guards;
};

/* 0 or -errno: -ENOENT no such process, -EACCES not allowed. */
int pagemap_open(struct pagemap *pagemap, uint32_t pid, bool gentle);
void pagemap_close(struct pagemap *pagemap);

/* Calls `each` with the pages of start..end that are present or swapped, in order, alike ones
 * together.  0 or -errno; what came before a failure was reported.  Without PAGEMAP_SCAN it
 * costs a read per 2 MiB of addresses, resident or not. */
typedef void (*page_run_fn)(void *context, const struct page_run *run);
int pagemap_walk(const struct pagemap *pagemap, uint64_t start, uint64_t end, page_run_fn each,
                 void *context);

struct page_bytes {
    uint64_t resident, swapped, huge; /* `huge` is part of `resident` */
};
int pagemap_count(const struct pagemap *pagemap, uint64_t start, uint64_t end,
                  struct page_bytes *bytes);
