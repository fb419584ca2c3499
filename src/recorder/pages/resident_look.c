/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/resident_look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "procfs/memory/maps.h"
#include "procfs/memory/pagemap.h"

#define SLICE_RUNS 4096u

struct resident_walker {
    uint32_t pid;
    struct resident_look *look;
    struct page_join join;
    struct map_list maps;
    size_t region;    /* region of the next run, or an earlier one */
    uint8_t *natures; /* of the regions: enum page_nature */
    catch_up_fn catch_up;
    void *context;
    uint64_t uncounted;
    VEC(struct page_run) runs;   /* seen, and not judged yet */
    struct memory_status *after; /* by the kernel, since the last slice was seen */
    int err;                     /* of a slice */
};

/* What the pages of a mapping can be, as the kernel counts them. */
enum page_nature {
    NATURE_NONE,      /* nothing that is counted */
    NATURE_ANON,      /* all anonymous */
    NATURE_SHMEM,     /* all shared memory */
    NATURE_OWN_SHMEM, /* shared memory, or private copies: each page tells */
    NATURE_FILE       /* of a file, or private copies */
};

static enum page_nature nature_of(struct resident_walker *walker, const struct map_region *region)
{
    const char *name = region->name;
    bool const is_plain = name[0] == '\0' || strcmp(name, "[heap]") == 0 ||
                          strcmp(name, "[stack]") == 0 || strncmp(name, "[anon:", 6) == 0;
    if (region->inode == 0 && is_plain && !region->shared)
        return NATURE_ANON;
    switch (mapping_kinds_find(&walker->look->mappings, walker->pid, region)) {
    case MAPPING_UNCOUNTED:
        return NATURE_NONE;
    case MAPPING_SHMEM:
        return region->shared ? NATURE_SHMEM : NATURE_OWN_SHMEM;
    default:
        return NATURE_FILE;
    }
}

static int find_natures(struct resident_walker *walker)
{
    size_t const count = walker->maps.regions.count;
    walker->natures = malloc(count + 1);
    for (size_t i = 0; walker->natures && i < count; i++)
        walker->natures[i] = (uint8_t)nature_of(walker, &walker->maps.regions.items[i]);
    return walker->natures ? 0 : -ENOMEM;
}

/* Whether the kernel must be asked for the kind of each page; that costs three times as much. */
static bool is_mixed(const struct resident_walker *walker, size_t region)
{
    return walker->natures[region] >= NATURE_OWN_SHMEM;
}

/* Handles the part of a run that is in one mapping.  The kind follows the kernel's rule: a page is
 * anonymous, or else its file system decides. */
static void judge_part(struct resident_walker *walker, const struct page_run *run, uint64_t start,
                       uint64_t end)
{
    const struct map_region *region = &walker->maps.regions.items[walker->region];
    enum page_nature const nature = walker->natures[walker->region];
    struct join_run part = {.start = start,
                            .end = end,
                            .kind = PAGE_ANON,
                            .is_huge = run->state & PAGE_HUGE,
                            .area_start = region->start,
                            .area_end = region->end};
    bool const is_anon =
        nature == NATURE_ANON || (is_mixed(walker, walker->region) && !(run->state & PAGE_OF_FILE));
    if (nature == NATURE_NONE || (is_anon && region->shared)) {
        walker->uncounted += run->state & PAGE_PRESENT ? end - start : 0;
        return;
    }
    if (!(run->state & PAGE_PRESENT))
        part.kind = PAGE_SWAP;
    else if (!is_anon)
        part.kind = nature == NATURE_FILE ? PAGE_FILE : PAGE_SHMEM;
    page_join_run(&walker->join, &part);
}

static void judge_run(struct resident_walker *walker, const struct page_run *run)
{
    uint64_t start = run->start;
    while (start < run->end && walker->region < walker->maps.regions.count) {
        const struct map_region *region = &walker->maps.regions.items[walker->region];
        if (region->end <= start) {
            walker->region++;
            continue;
        }
        uint64_t const end = run->end < region->end ? run->end : region->end;
        judge_part(walker, run, start, end);
        start = end;
    }
}

/* Uses the slice only if the process still has its memory now: a process that is ending looks as if
 * it had no pages. */
static void judge_slice(struct resident_walker *walker)
{
    if (walker->catch_up)
        walker->catch_up(walker->context);
    if (walker->err == 0)
        walker->err = memory_status_read(walker->pid, walker->after);
    if (walker->err == 0 && walker->after->rss_bytes <= 0)
        walker->err = -ESRCH;
    if (walker->err == 0)
        vec_each (run, &walker->runs)
            judge_run(walker, run);
    walker->runs.count = 0;
}

static void add_run(void *context, const struct page_run *run)
{
    struct resident_walker *walker = context;
    if (!vec_push(&walker->runs, *run))
        walker->err = -ENOMEM;
    if (walker->runs.count >= SLICE_RUNS)
        judge_slice(walker);
}

/* Walks adjacent mappings together. */
static int walk_all(struct resident_walker *walker, struct pagemap *pagemap)
{
    size_t count = walker->maps.regions.count;
    const struct map_region *regions = walker->maps.regions.items;
    while (count && regions[count - 1].end > BOOK_ADDRESS_MAX)
        count--; /* [vsyscall] is the kernel's */
    int err = 0;
    for (size_t i = 0, next; err == 0 && walker->err == 0 && i < count; i = next) {
        pagemap->tells_files = is_mixed(walker, i);
        for (next = i + 1; next < count && regions[next].start == regions[next - 1].end &&
                           is_mixed(walker, next) == pagemap->tells_files;)
            next++;
        err = pagemap_walk(pagemap, regions[i].start, regions[next - 1].end, add_run, walker);
    }
    judge_slice(walker);
    return err < 0 ? err : walker->err;
}

/* Replaces the previous look only if everything succeeded. */
static int make_result(struct resident_walker *walker, struct resident_result *result)
{
    struct page_join *join = &walker->join;
    struct number_map const none = {.items = NULL};
    int err = page_parts_compare(&none, &join->pages, &result->parts);
    if (err == 0)
        err = page_parts_compare(&walker->look->pages, &join->pages, &result->changes);
    if (err < 0)
        return err;
    for (size_t i = 0; i < LOOK_KINDS; i++)
        result->bytes[i] = join->bytes[i];
    for (size_t i = 0; i < PAGE_RULES; i++)
        result->rule_bytes[i] = join->rule_bytes[i];
    result->dropped = join->dropped;
    result->uncounted_bytes = walker->uncounted;
    number_map_fini(&walker->look->pages);
    walker->look->pages = join->pages;
    join->pages = (struct number_map){.items = NULL};
    return 0;
}

static int look_at_all(struct resident_walker *walker, struct page_book *book,
                       struct resident_result *result)
{
    struct pagemap pagemap;
    int err = pagemap_open(&pagemap, walker->pid, true);
    if (err < 0)
        return err;
    if (walker->catch_up)
        walker->catch_up(walker->context); /* what is booked later than this is not judged stale */
    page_join_begin(&walker->join, book);
    err = map_list_read(walker->pid, &walker->maps);
    if (err == 0)
        err = find_natures(walker);
    if (err == 0)
        err = memory_status_read(walker->pid, &result->before);
    if (err == 0)
        err = walk_all(walker, &pagemap);
    if (err == 0)
        err = page_join_end(&walker->join);
    pagemap_close(&pagemap);
    return err;
}

int resident_look_run(struct resident_look *look, uint32_t pid, struct page_book *book,
                      catch_up_fn catch_up, void *context, struct resident_result *result)
{
    struct resident_walker walker = {.pid = pid,
                                     .look = look,
                                     .catch_up = catch_up,
                                     .context = context,
                                     .after = &result->after};
    uint64_t const began = monotonic_ns();
    *result = (struct resident_result){.took_ns = 0};
    int err = look_at_all(&walker, book, result);
    if (err == 0)
        err = make_result(&walker, result);
    result->took_ns = monotonic_ns() - began;
    if (err < 0 && walker.join.book)
        page_join_undo(&walker.join);
    page_join_fini(&walker.join);
    map_list_fini(&walker.maps);
    free(walker.natures);
    vec_free(&walker.runs);
    if (err < 0)
        resident_result_fini(result);
    return err;
}

int resident_look_clear(struct resident_look *look, struct page_parts *changes)
{
    struct number_map const none = {.items = NULL};
    int const err = page_parts_compare(&look->pages, &none, changes);
    if (err < 0)
        return err;
    number_map_fini(&look->pages);
    return 0;
}

void resident_result_fini(struct resident_result *result)
{
    page_parts_fini(&result->parts);
    page_parts_fini(&result->changes);
}

void resident_look_fini(struct resident_look *look)
{
    number_map_fini(&look->pages);
    mapping_kinds_fini(&look->mappings);
}
