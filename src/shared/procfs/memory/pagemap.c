/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"

/* As in linux/fs.h of 6.7, which older systems do not have. */
struct scan_range {
    uint64_t start, end, categories;
};
struct scan_call {
    uint64_t size, flags, start, end, walk_end;
    uint64_t ranges, range_count, max_pages;
    uint64_t inverted, all_of, any_of, returned;
};
#define SCAN_IOCTL    _IOWR('f', 16, struct scan_call)
#define SCAN_FILE     4u
#define SCAN_PRESENT  8u
#define SCAN_SWAPPED  16u
#define SCAN_PFN_ZERO 32u
#define SCAN_HUGE     64u
#define SCAN_GUARD    256u /* 6.16 */

#define RANGES                                                                                     \
    512u /* with more the kernel (6.18) tells a wrong walk_end, and pages would come twice */
#define GENTLE_PAGES 2048u /* per call: 8 MiB */
/* addresses per call: empty page tables take time too */
#define GENTLE_SPAN     ((uint64_t)256 << 20)
#define GENTLE_PAUSE_NS 50000

#define ENTRY_PRESENT (1ull << 63)
#define ENTRY_SWAPPED (1ull << 62)
#define ENTRY_FILE    (1ull << 61)
#define ENTRY_GUARD   (1ull << 58)
#define ENTRIES       512u

static uint64_t page_size(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool knows(int fd, uint64_t categories)
{
    struct scan_range range;
    struct scan_call probe = {.size = sizeof(probe),
                              .end = page_size(),
                              .ranges = (uint64_t)(uintptr_t)&range,
                              .range_count = 1,
                              .any_of = categories,
                              .returned = categories};
    return ioctl(fd, SCAN_IOCTL, &probe) >= 0;
}

int pagemap_open(struct pagemap *pagemap, uint32_t pid, bool gentle)
{
    *pagemap = (struct pagemap){.fd = proc_open(pid, 0, PROC_PAGEMAP), .gentle = gentle};
    if (pagemap->fd < 0)
        return pagemap->fd;
    pagemap->scans = knows(pagemap->fd, SCAN_PRESENT);
    pagemap->knows_guards = knows(pagemap->fd, SCAN_PRESENT | SCAN_GUARD);
    return 0;
}

void pagemap_close(struct pagemap *pagemap)
{
    if (pagemap->fd >= 0)
        close(pagemap->fd);
    pagemap->fd = -1;
}

/* Runs go out when the next one does not continue them. */
struct pagemap_walk {
    page_run_fn each;
    void *context;
    struct page_run run;
};

static void put_run(struct pagemap_walk *walk, uint64_t start, uint64_t end, unsigned state)
{
    if (walk->run.state == state && walk->run.end == start) {
        walk->run.end = end;
        return;
    }
    if (walk->run.state)
        walk->each(walk->context, &walk->run);
    walk->run = (struct page_run){start, end, state};
}

static void put_range(struct pagemap_walk *walk, const struct scan_range *range)
{
    unsigned state = 0;
    state |= range->categories & SCAN_PRESENT ? PAGE_PRESENT : 0;
    state |= range->categories & SCAN_SWAPPED ? PAGE_SWAPPED : 0;
    state |= range->categories & SCAN_HUGE ? PAGE_HUGE : 0;
    state |= range->categories & SCAN_FILE ? PAGE_OF_FILE : 0;
    put_run(walk, range->start, range->end, state);
}

static void pause_briefly(void)
{
    struct timespec const pause = {.tv_nsec = GENTLE_PAUSE_NS};
    nanosleep(&pause, NULL);
}

static int scan(const struct pagemap *pagemap, uint64_t start, uint64_t end,
                struct pagemap_walk *walk)
{
    struct scan_range ranges[RANGES];
    uint64_t const files = pagemap->tells_files ? SCAN_FILE : 0;
    uint64_t const not_memory = SCAN_PFN_ZERO | (pagemap->knows_guards ? SCAN_GUARD : 0);
    while (start < end) {
        uint64_t const stop =
            pagemap->gentle && end - start > GENTLE_SPAN ? start + GENTLE_SPAN : end;
        struct scan_call call = {
            .size = sizeof(call),
            .start = start,
            .end = stop,
            .ranges = (uint64_t)(uintptr_t)ranges,
            .range_count = RANGES,
            .max_pages = pagemap->gentle ? GENTLE_PAGES : 0,
            .inverted = not_memory,
            .all_of = not_memory,
            .any_of = SCAN_PRESENT | SCAN_SWAPPED,
            .returned = SCAN_PRESENT | SCAN_SWAPPED | SCAN_HUGE | files,
        };
        int const got = ioctl(pagemap->fd, SCAN_IOCTL, &call);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        for (int i = 0; i < got; i++)
            put_range(walk, &ranges[i]);
        if (call.walk_end <= start || call.walk_end > stop)
            return -EIO; /* it must go on */
        start = call.walk_end;
        if (pagemap->gentle && got > 0)
            pause_briefly();
    }
    return 0;
}

static unsigned entry_state(uint64_t entry, bool tells_files)
{
    unsigned const state =
        (entry & ENTRY_PRESENT ? PAGE_PRESENT : 0u) | (entry & ENTRY_SWAPPED ? PAGE_SWAPPED : 0u);
    if (state == 0 || entry & ENTRY_GUARD)
        return 0;
    return state | (tells_files && entry & ENTRY_FILE ? PAGE_OF_FILE : 0u);
}

static void put_entries(const struct pagemap *pagemap, struct pagemap_walk *walk, uint64_t start,
                        const uint64_t *entries, size_t count)
{
    uint64_t const page = page_size();
    for (size_t i = 0; i < count; i++, start += page) {
        unsigned const state = entry_state(entries[i], pagemap->tells_files);
        if (state)
            put_run(walk, start, start + page, state);
    }
}

static int read_entries(const struct pagemap *pagemap, uint64_t start, uint64_t end,
                        struct pagemap_walk *walk)
{
    uint64_t const page = page_size();
    uint64_t entries[ENTRIES];
    while (start < end) {
        uint64_t const pages = (end - start) / page;
        size_t const wanted = (size_t)(pages < ENTRIES ? pages : ENTRIES);
        ssize_t const got = pread(pagemap->fd, entries, wanted * sizeof(entries[0]),
                                  (off_t)(start / page * sizeof(entries[0])));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < (ssize_t)sizeof(entries[0]))
            return got < 0 ? -errno : 0; /* past the last address, or the process is gone */
        size_t const count = (size_t)got / sizeof(entries[0]);
        put_entries(pagemap, walk, start, entries, count);
        start += count * page;
        if (pagemap->gentle)
            pause_briefly();
    }
    return 0;
}

int pagemap_walk(const struct pagemap *pagemap, uint64_t start, uint64_t end, page_run_fn each,
                 void *context)
{
    struct pagemap_walk walk = {.each = each, .context = context};
    uint64_t const page = page_size();
    start -= start % page;
    end -= end % page;
    int const err = pagemap->scans ? scan(pagemap, start, end, &walk)
                                   : read_entries(pagemap, start, end, &walk);
    if (walk.run.state)
        each(context, &walk.run);
    return err;
}

static void count_run(void *context, const struct page_run *run)
{
    struct page_bytes *bytes = context;
    uint64_t const size = run->end - run->start;
    bytes->resident += run->state & PAGE_PRESENT ? size : 0;
    bytes->swapped += run->state & PAGE_SWAPPED ? size : 0;
    bytes->huge += run->state & PAGE_HUGE && run->state & PAGE_PRESENT ? size : 0;
}

int pagemap_count(const struct pagemap *pagemap, uint64_t start, uint64_t end,
                  struct page_bytes *bytes)
{
    *bytes = (struct page_bytes){0};
    return pagemap_walk(pagemap, start, end, count_run, bytes);
}
