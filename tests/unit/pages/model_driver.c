/* SPDX-License-Identifier: Apache-2.0 */
#include "model_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "model_touchers.h"
#include "procfs/memory/pagemap.h"

#define HUGE_PAGES 512u
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

struct driver {
    struct model_state *state;
    struct pagemap pagemap;
    uint64_t seed, drawn;
    uint32_t touched; /* the page that is being touched */
    bool had_pages;   /* there were others where its huge page would be */
    uint8_t before[MODEL_PAGES_MAX], after[MODEL_PAGES_MAX]; /* enum watched_pages */
    int hold[2];                                             /* a forked child waits for it */
};

static uint32_t draw(struct driver *driver, uint32_t below)
{
    return (uint32_t)(hash_mix(driver->seed ^ ++driver->drawn * 0x9e3779b97f4a7c15ull) >> 20) %
           below;
}

static void tell(struct driver *driver, const char *what, const struct model_area *area,
                 uint32_t first, uint32_t pages, int toucher)
{
    char *story = driver->state->story;
    size_t const used = strlen(story);
    snprintf(story + used, sizeof(driver->state->story) - used,
             "%s area %ld (type %d) %u+%u by %d; ", what,
             area ? (long)(area - driver->state->areas) : -1L, area ? (int)area->type : -1, first,
             pages, toucher);
}

struct states {
    const struct model_area *area;
    uint8_t *into;
};

static void note_run(void *context, const struct page_run *run)
{
    struct states *states = context;
    for (uint64_t at = run->start; at < run->end; at += MODEL_PAGE)
        states->into[(at - states->area->start) / MODEL_PAGE] = (uint8_t)run->state;
}

static void read_states(struct driver *driver, const struct model_area *area, uint8_t *into)
{
    struct states states = {area, into};
    memset(into, 0, MODEL_PAGES_MAX);
    pagemap_walk(&driver->pagemap, area->start, area->start + (uint64_t)area->pages * MODEL_PAGE,
                 note_run, &states);
}

/* Pages that went keep a key until the next look. */
static void note_gone(struct driver *driver, struct model_area *area)
{
    for (uint32_t i = 0; i < area->pages; i++) {
        struct model_page *page = &area->page[i];
        if (driver->after[i] || !page->owners)
            continue;
        page->stale |= page->owners;
        page->stale_now |= page->owners;
        page->owners = page->is_cow = 0;
    }
}

/* What a touch of one page by `toucher` did to page `i`, which may be another. */
static void note_touch(struct driver *driver, struct model_area *area, uint32_t i, uint8_t toucher,
                       bool is_touched, bool is_write)
{
    struct model_page *page = &area->page[i];
    unsigned const was = driver->before[i], is = driver->after[i];
    uint8_t const bit = (uint8_t)(1u << toucher);
    page->touched |= is_touched ? bit : 0;
    if (is == 0)
        return;
    if (was && !page->owners && area->type == AREA_HUGE)
        page->owners = OWNER_ANY; /* khugepaged, before */
    if (was == 0) {
        page->owners = bit;
        page->is_cow = 0;
        page->came_along = !is_touched;
        page->owners |= is_touched ? 0 : page->stale;
        if (area->type == AREA_HUGE && !is_touched &&
            (i / HUGE_PAGES != driver->touched / HUGE_PAGES || driver->had_pages))
            page->owners = OWNER_ANY; /* khugepaged, at this very time */
    } else if (was & PAGE_SWAPPED && is & PAGE_PRESENT) {
        page->owners |= page->was_swapped ? 0 : bit;
        page->is_cow = page->is_cow ? COW_MAYBE : 0;
    } else if (is_touched && is_write && (was ^ is) & PAGE_OF_FILE) {
        page->owners = bit; /* copied */
    } else if (is_touched && is_write && page->is_cow) {
        bool const is_sure = page->is_cow == COW_YES && area->type != AREA_HUGE;
        page->owners = is_sure ? bit : page->owners | bit;
        page->is_cow = area->type == AREA_HUGE ? COW_MAYBE : 0;
    } else if (is_touched && is_write && area->type == AREA_FILE) {
        page->owners |= bit; /* a file system wants to know when a page becomes dirty */
    } else if (is_write && area->type == AREA_HUGE && page->is_cow) {
        page->owners |= bit; /* of a huge page that is shared no more */
    }
}

static bool has_pages_near(const struct driver *driver, const struct model_area *area,
                           uint32_t page)
{
    uint32_t const first = page / HUGE_PAGES * HUGE_PAGES;
    for (uint32_t i = first; i < first + HUGE_PAGES && i < area->pages; i++) {
        if (driver->before[i])
            return true;
    }
    return false;
}

/* One page after the other, because what one brings in the next does not fault on. */
static void touch(struct driver *driver, struct model_area *area, uint32_t first, uint32_t count)
{
    uint8_t const toucher = (uint8_t)draw(driver, MODEL_TOUCHERS);
    enum touch_way const way = draw(driver, driver->state->sees_kernel ? TOUCH_WAYS : TOUCH_KERNEL);
    uint32_t const stride = 1 + draw(driver, 4) * draw(driver, 2);
    tell(driver,
         way == TOUCH_READ    ? "read"
         : way == TOUCH_WRITE ? "write"
                              : "fill",
         area, first, count, toucher);
    read_states(driver, area, driver->before);
    for (uint32_t i = first; i < first + count; i += stride) {
        model_touch(toucher, (char *)area->start + (uint64_t)i * MODEL_PAGE, 1, 1, way);
        bool const is_quiet =
            driver->before[i] == PAGE_PRESENT && !area->page[i].is_cow && area->type != AREA_FILE;
        if (is_quiet && area->type != AREA_HUGE)
            continue; /* was there, anonymous and writable */
        read_states(driver, area, driver->after);
        driver->touched = i;
        driver->had_pages = has_pages_near(driver, area, i);
        for (uint32_t k = 0; k < area->pages; k++)
            note_touch(driver, area, k, toucher, k == i, way != TOUCH_READ);
        memcpy(driver->before, driver->after, sizeof(driver->before));
    }
}

/* madvise, and what it did by itself. */
static void advise(struct driver *driver, struct model_area *area, uint32_t first, uint32_t count,
                   int advice)
{
    tell(driver,
         advice == MADV_DONTNEED         ? "drop"
         : advice == MADV_FREE           ? "free"
         : advice == MADV_PAGEOUT        ? "page out"
         : advice == MADV_POPULATE_WRITE ? "populate"
                                         : "collapse",
         area, first, count, -1);
    read_states(driver, area, driver->before);
    madvise((char *)area->start + (uint64_t)first * MODEL_PAGE, (size_t)count * MODEL_PAGE, advice);
    read_states(driver, area, driver->after);
    note_gone(driver, area);
    for (uint32_t i = 0; i < area->pages; i++) {
        struct model_page *page = &area->page[i];
        bool const is_new = driver->before[i] == 0 && driver->after[i];
        bool const is_copied =
            driver->before[i] && (driver->before[i] ^ driver->after[i]) & PAGE_OF_FILE;
        if (is_new || (is_copied && driver->after[i]))
            page->owners |= advice == MADV_COLLAPSE || area->type == AREA_HUGE
                                ? OWNER_ANY
                                : (uint8_t)(OWNER_UNFAULTED | page->stale | page->touched);
        page->came_along |= is_new;
        if (advice == MADV_POPULATE_WRITE)
            page->is_cow = i >= first && i < first + count ? 0 : page->is_cow;
        if (area->type == AREA_HUGE && advice == MADV_COLLAPSE)
            page->is_cow = COW_MAYBE; /* a huge page is a new one */
    }
}

static void unmap(struct driver *driver, struct model_area *area)
{
    tell(driver, "unmap", area, 0, area->pages, -1);
    munmap((void *)area->start, (size_t)area->pages * MODEL_PAGE);
    if (area->fd >= 0)
        close(area->fd);
    memset(area, 0, sizeof(*area));
    area->fd = -1;
}

static int open_backing(enum area_type type, size_t size)
{
    int fd = -1;
    if (type == AREA_MEMFD || type == AREA_MEMFD_OWN)
        fd = memfd_create("model", MFD_CLOEXEC);
    else if (type == AREA_FILE || type == AREA_FILE_OWN)
        fd = open(getenv("MODEL_FOLDER") ? getenv("MODEL_FOLDER") : "/var/tmp",
                  O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 && ftruncate(fd, (off_t)size) < 0)
        _exit(3);
    return fd;
}

/* What toucher maps; populated at once or not. */
static void map(struct driver *driver, struct model_area *area)
{
    enum area_type const type = draw(driver, AREA_TYPES);
    bool const is_shared = type == AREA_SHARED || type == AREA_MEMFD || type == AREA_FILE;
    bool const fills = driver->state->sees_maps && type != AREA_HUGE && draw(driver, 4) == 0;
    uint8_t const toucher = (uint8_t)draw(driver, MODEL_TOUCHERS);
    memset(area, 0, sizeof(*area));
    area->type = type;
    area->pages = type == AREA_HUGE ? 2 * HUGE_PAGES : 1 + draw(driver, 300);
    size_t const size = (size_t)area->pages * MODEL_PAGE;
    area->fd = open_backing(type, size);
    int const flags = (is_shared ? MAP_SHARED : MAP_PRIVATE) | (fills ? MAP_POPULATE : 0) |
                      (area->fd < 0 ? MAP_ANONYMOUS : 0);
    size_t const extra = type == AREA_HUGE ? HUGE_PAGES * MODEL_PAGE : 0;
    char *start = model_map(toucher, NULL, size + extra, flags, area->fd);
    if (start == MAP_FAILED)
        _exit(4);
    if (extra) {
        start += extra - (uintptr_t)start % extra;
        madvise(start, size, MADV_HUGEPAGE);
    }
    area->start = (uint64_t)start;
    tell(driver, fills ? "map, filled" : "map", area, 0, area->pages, toucher);
    read_states(driver, area, driver->after);
    for (uint32_t i = 0; i < area->pages; i++)
        area->page[i].owners = driver->after[i] ? (uint8_t)(1u << toucher) : 0;
}

/* Anonymous memory in the middle of what was there. */
static void map_over(struct driver *driver, struct model_area *area, uint32_t first, uint32_t count)
{
    uint8_t const toucher = (uint8_t)draw(driver, MODEL_TOUCHERS);
    if (area->type != AREA_ANON || !driver->state->sees_fixed)
        return;
    tell(driver, "map over", area, first, count, toucher);
    model_map(toucher, (char *)area->start + (uint64_t)first * MODEL_PAGE,
              (size_t)count * MODEL_PAGE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE,
              -1);
    for (uint32_t i = first; i < first + count; i++)
        area->page[i] = (struct model_page){.owners = (uint8_t)(1u << toucher)};
}

static void move(struct driver *driver, struct model_area *area)
{
    uint32_t const pages = area->pages + draw(driver, 100);
    if (area->type == AREA_HUGE || area->fd >= 0 || pages > MODEL_PAGES_MAX ||
        !driver->state->sees_maps || area->type == AREA_SHARED)
        return;
    char *start = (char *)area->start;
    size_t const old = (size_t)area->pages * MODEL_PAGE, new = (size_t)pages *MODEL_PAGE;
    bool const elsewhere = draw(driver, 2) && driver->state->sees_fixed;
    char *goal = mmap(NULL, new, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *moved = elsewhere ? mremap(start, old, new, MREMAP_MAYMOVE | MREMAP_FIXED, goal)
                            : mremap(start, old, new, MREMAP_MAYMOVE);
    if (!elsewhere || moved == MAP_FAILED)
        munmap(goal, new);
    if (moved == MAP_FAILED)
        return;
    area->start = (uint64_t)moved;
    area->pages = pages;
    tell(driver, elsewhere ? "move" : "grow", area, 0, pages, -1);
}

/* Cuts the file off in the middle, and makes it as long as it was. */
static void truncate_file(struct driver *driver, struct model_area *area, uint32_t first)
{
    if (area->fd < 0)
        return;
    tell(driver, "truncate", area, first, 0, -1);
    if (ftruncate(area->fd, (off_t)first * MODEL_PAGE) < 0 ||
        ftruncate(area->fd, (off_t)area->pages * MODEL_PAGE) < 0)
        _exit(5);
    read_states(driver, area, driver->after);
    note_gone(driver, area);
}

/* The child writes to some of its own memory and waits. */
static void fork_child(struct driver *driver)
{
    struct model_state *state = driver->state;
    struct model_area *area = &state->areas[draw(driver, MODEL_AREAS)];
    int ready[2];
    char byte = 0;
    if (state->child || !area->start || area->type > AREA_HUGE || pipe(ready) < 0 ||
        pipe(driver->hold) < 0)
        return;
    uint32_t const pages = area->pages < 20 ? area->pages : 20;
    uint8_t const toucher = (uint8_t)draw(driver, MODEL_TOUCHERS);
    tell(driver, "fork, and write", area, 0, pages, toucher);
    pid_t const pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(driver->hold[1]);
        model_touch(toucher, (char *)area->start, pages, 1, TOUCH_WRITE);
        if (write(ready[1], "", 1) == 1 && read(driver->hold[0], &byte, 1) >= 0)
            _exit(0);
        _exit(1);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1)
        _exit(6);
    close(ready[0]);
    close(driver->hold[0]);
    state->child_toucher = toucher;
    state->child_pages = pages;
    state->child = (uint32_t)pid;
    for (struct model_area *each = state->areas; each < state->areas + MODEL_AREAS; each++) {
        read_states(driver, each, driver->after);
        for (uint32_t i = 0; each->start && i < each->pages; i++)
            if (driver->after[i] && !(driver->after[i] & PAGE_OF_FILE))
                each->page[i].is_cow = COW_YES;
    }
}

static void end_child(struct driver *driver)
{
    if (!driver->state->child)
        return;
    tell(driver, "end child", NULL, 0, 0, -1);
    close(driver->hold[1]);
    waitpid((pid_t)driver->state->child, NULL, 0);
    driver->state->child = 0;
}

static void do_one(struct driver *driver)
{
    struct model_state *state = driver->state;
    struct model_area *area = &state->areas[draw(driver, MODEL_AREAS)];
    if (!area->start) {
        map(driver, area);
        return;
    }
    uint32_t const first = draw(driver, area->pages), rest = area->pages - first;
    uint32_t const count = 1 + draw(driver, rest < 64 ? rest : draw(driver, 2) ? 64 : rest);
    uint32_t const what = draw(driver, 100);
    if (what < 55)
        touch(driver, area, first, count);
    else if (what < 65)
        advise(driver, area, first, count, MADV_DONTNEED);
    else if (what < 68 && area->type <= AREA_HUGE)
        advise(driver, area, first, count, MADV_FREE);
    else if (what < 73 && state->has_swap && area->type == AREA_ANON)
        advise(driver, area, first, count, MADV_PAGEOUT);
    else if (what < 77)
        advise(driver, area, first, count, MADV_POPULATE_WRITE);
    else if (what < 80 && area->type == AREA_HUGE)
        advise(driver, area, 0, HUGE_PAGES, MADV_COLLAPSE);
    else if (what < 84)
        unmap(driver, area);
    else if (what < 87)
        map_over(driver, area, first, count);
    else if (what < 93)
        move(driver, area);
    else if (what < 96)
        truncate_file(driver, area, first);
    else if (what < 98)
        fork_child(driver);
    else
        end_child(driver);
}

/* Who touched any page of a file may have brought one that came along: how much comes is up to
 * the file system. */
static void end_step(struct driver *driver)
{
    for (struct model_area *area = driver->state->areas; area < driver->state->areas + MODEL_AREAS;
         area++) {
        for (uint32_t i = 0; area->start && area->type > AREA_HUGE && i < area->pages; i++) {
            if (!area->page[i].came_along || !area->page[i].owners)
                continue;
            for (uint32_t k = 0; k < area->pages; k++)
                area->page[i].owners |= area->page[k].touched;
        }
    }
}

static void begin_step(struct driver *driver)
{
    driver->state->story[0] = '\0';
    for (struct model_area *area = driver->state->areas; area < driver->state->areas + MODEL_AREAS;
         area++) {
        if (!area->start)
            continue;
        read_states(driver, area, driver->before);
        for (uint32_t i = 0; i < area->pages; i++) {
            /* a key that no look has found true may live until the look after the next */
            area->page[i].stale = (uint8_t)(area->page[i].stale_now | area->page[i].touched);
            area->page[i].stale_now = area->page[i].touched = area->page[i].came_along = 0;
            area->page[i].was_swapped = driver->before[i] == PAGE_SWAPPED;
        }
    }
}

void model_driver_run(struct model_state *state, uint64_t seed, int orders, int answers)
{
    static struct driver driver;
    char byte;
    driver.state = state;
    driver.seed = hash_mix(seed);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (pagemap_open(&driver.pagemap, (uint32_t)getpid(), false) < 0)
        _exit(2);
    driver.pagemap.tells_files = true;
    while (read(orders, &byte, 1) == 1) {
        begin_step(&driver);
        for (uint32_t i = 1 + draw(&driver, 4); i > 0; i--)
            do_one(&driver);
        end_step(&driver);
        if (write(answers, "", 1) != 1)
            break;
    }
    end_child(&driver);
    _exit(0);
}
