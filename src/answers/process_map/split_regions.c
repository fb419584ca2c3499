/* SPDX-License-Identifier: Apache-2.0 */
#include "process_map/split_regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "procfs/memory/pagemap.h"

struct splitting {
    struct breakdown *breakdown;
    struct pagemap pagemap;
    bool is_open;
    size_t next_claim;
    VEC(struct memory_region) pieces;
};

/* The first place inside of from..end where a claim begins or ends; `end` when there is none. */
static uint64_t next_cut(const struct splitting *splitting, uint64_t from, uint64_t end)
{
    const struct breakdown *breakdown = splitting->breakdown;
    for (size_t i = splitting->next_claim; i < breakdown->claims.count; i++) {
        const struct memory_claim *claim = &breakdown->claims.items[i];
        if (claim->start >= end)
            break;
        if (claim->start > from)
            return claim->start;
        if (claim->end > from)
            return claim->end < end ? claim->end : end;
    }
    return end;
}

static uint64_t part_of(uint64_t whole, uint64_t part, uint64_t of)
{
    return of ? (uint64_t)((unsigned __int128)whole * part / of) : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Takes the piece's share off `rest`, all of it when it is the last. */
static void share_out(struct memory_region *piece, struct memory_bytes *rest,
                      const struct page_bytes *pages, bool is_last)
{
    if (is_last) {
        uint64_t const size = piece->bytes.size;
        piece->bytes = *rest;
        piece->bytes.size = size;
        return;
    }
    uint64_t const rss = least(pages->resident, rest->rss), of = rest->rss;
    struct memory_bytes share = {.size = piece->bytes.size, .rss = rss};
    uint64_t *to = &share.size, *from = &rest->size;
    for (size_t i = 0; i < MEMORY_BYTES_FIELDS; i++)
        if (from + i != &rest->size && from + i != &rest->rss && from + i != &rest->swap)
            to[i] = part_of(from[i], rss, of);
    share.swap = least(pages->swapped, rest->swap);
    uint64_t const others = share.shared_clean + share.shared_dirty + share.private_clean;
    share.private_dirty = least(rss > others ? rss - others : 0, rest->private_dirty);
    for (size_t i = 0; i < MEMORY_BYTES_FIELDS; i++)
        from[i] -= least(to[i], from[i]);
    piece->bytes = share;
}

static int cut_region(struct splitting *splitting, const struct memory_region *region, uint64_t cut)
{
    struct memory_bytes rest = region->bytes;
    for (uint64_t from = region->start; from < region->end;) {
        struct memory_region piece = *region;
        struct page_bytes pages = {0};
        piece.start = from;
        piece.end = cut;
        piece.bytes.size = cut - from;
        if (cut < region->end) {
            int const err = pagemap_count(&splitting->pagemap, from, cut, &pages);
            if (err < 0)
                return err;
        }
        share_out(&piece, &rest, &pages, cut == region->end);
        if (!vec_push(&splitting->pieces, piece))
            return -ENOMEM;
        from = cut;
        cut = next_cut(splitting, from, region->end);
    }
    return 0;
}

static int add_region(struct splitting *splitting, const struct memory_region *region)
{
    struct breakdown *breakdown = splitting->breakdown;
    while (splitting->next_claim < breakdown->claims.count &&
           breakdown->claims.items[splitting->next_claim].end <= region->start)
        splitting->next_claim++;
    uint64_t const cut = next_cut(splitting, region->start, region->end);
    if (cut == region->end)
        return vec_push(&splitting->pieces, *region) ? 0 : -ENOMEM;
    if (!splitting->is_open) {
        int const err = pagemap_open(&splitting->pagemap, breakdown->pid, true);
        if (err < 0)
            return err;
        splitting->is_open = true;
    }
    return cut_region(splitting, region, cut);
}

/* Most processes have no such claim, and keep their list. */
static bool needs_cuts(const struct breakdown *breakdown)
{
    struct splitting look = {.breakdown = (struct breakdown *)breakdown};
    vec_each (region, &breakdown->regions) {
        while (look.next_claim < breakdown->claims.count &&
               breakdown->claims.items[look.next_claim].end <= region->start)
            look.next_claim++;
        if (next_cut(&look, region->start, region->end) != region->end)
            return true;
    }
    return false;
}

int split_regions(struct breakdown *breakdown)
{
    struct splitting splitting = {.breakdown = breakdown};
    int err = 0;
    if (!needs_cuts(breakdown))
        return 0;
    for (size_t i = 0; i < breakdown->regions.count && err == 0; i++)
        err = add_region(&splitting, &breakdown->regions.items[i]);
    if (splitting.is_open)
        pagemap_close(&splitting.pagemap);
    if (err < 0) {
        vec_free(&splitting.pieces);
        return err;
    }
    vec_free(&breakdown->regions);
    breakdown->regions.items = splitting.pieces.items;
    breakdown->regions.count = splitting.pieces.count;
    breakdown->regions.room = splitting.pieces.room;
    return 0;
}
