/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/smaps_fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RUNTIME_HEAPS_END ((uint64_t)0x70 << 40) /* Go, V8 and Java put theirs below */
#define ARENA_SLOT        ((uint64_t)64 << 20)   /* an arena of glibc begins so */
#define LAST_KEPT         2u /* the newest has no counts yet, and the one before no neighbour */
#define ODD_FLAGS                                                                                  \
    (REGION_NO_RESERVE | REGION_NO_HUGE | REGION_NO_FORK | REGION_HUGETLB | REGION_DEVICE |        \
     REGION_GROWS_DOWN)

static bool is_plain(const struct memory_region *region)
{
    return region->name[0] == '\0' && region->rights[2] == '-' && region->rights[3] == 'p' &&
           region->bytes.size <= SMAPS_FOLD_MAX && !(region->flags & ODD_FLAGS) &&
           region->start >= RUNTIME_HEAPS_END && region->start % ARENA_SLOT != 0;
}

/* Mappings that touch belong together: a plain one is folded only among plain ones. */
static bool borders(const struct memory_region *below, const struct memory_region *above)
{
    return below->end == above->start;
}

static int descending(const void *left, const void *right)
{
    uint64_t const a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a > b ? -1 : a < b;
}

/* The RSS of the `top`th largest in the list.  0 or -ENOMEM. */
static int find_least(const struct smaps *smaps, size_t top, uint64_t *least)
{
    size_t const count = smaps->regions.count;
    uint64_t *sizes = malloc(count * sizeof(*sizes));
    if (!sizes)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        sizes[i] = smaps->regions.items[i].bytes.rss;
    qsort(sizes, count, sizeof(*sizes), descending);
    *least = sizes[top - 1];
    free(sizes);
    return 0;
}

/* Adds it to the sum of its kind in this run of folded neighbours, from `first` on. */
static int add_folded(struct smaps *smaps, size_t first, const struct memory_region *region)
{
    for (size_t i = first; i < smaps->folded.count; i++) {
        struct folded_regions *folded = &smaps->folded.items[i];
        folded->sum.end = region->end;
        if (memcmp(folded->sum.rights, region->rights, sizeof(region->rights)) != 0 ||
            folded->sum.flags != region->flags)
            continue;
        memory_bytes_add(&folded->sum.bytes, &region->bytes);
        folded->count++;
        return 0;
    }
    struct folded_regions const made = {*region, 1};
    return vec_push(&smaps->folded, made) ? 0 : -ENOMEM;
}

int smaps_fold(struct smaps *smaps, size_t top)
{
    struct memory_region *regions = smaps->regions.items, below = {.end = 0};
    size_t const count = smaps->regions.count;
    size_t kept = 0, as_large = 0, run = smaps->folded.count;
    uint64_t least;
    if (count < SMAPS_FOLD_AT || count < smaps->fold_next || top == 0 || top > count / 2)
        return 0;
    if (find_least(smaps, top, &least) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct memory_region const region = regions[i]; /* those before it may be moved by now */
        bool const is_small =
            region.bytes.rss < least || (region.bytes.rss == least && as_large >= top);
        if (is_small && i + LAST_KEPT < count && is_plain(&region) &&
            (!borders(&below, &region) || is_plain(&below)) &&
            (!borders(&region, &regions[i + 1]) || is_plain(&regions[i + 1])) &&
            add_folded(smaps, run, &region) == 0) {
            below = region;
            continue;
        }
        as_large += region.bytes.rss >= least;
        regions[kept++] = below = region;
        run = smaps->folded.count; /* the next run begins behind it */
    }
    smaps->regions.count = kept;
    smaps->fold_next = kept > SMAPS_FOLD_AT / 2 ? 2 * kept : SMAPS_FOLD_AT;
    return 0;
}
