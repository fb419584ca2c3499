/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/look_mappings.h"

#include <errno.h>

struct cursors {
    size_t area, present, mapped;
};

static uint64_t resident_in(const struct mappings_question *question, struct cursors *at,
                            uint64_t start, uint64_t end)
{
    uint64_t bytes = 0;
    while (at->present < question->present_count && question->present[at->present].end <= start)
        at->present++;
    for (size_t i = at->present; i < question->present_count && question->present[i].start < end;
         i++) {
        const struct page_span *span = &question->present[i];
        bytes += (span->end < end ? span->end : end) - (span->start > start ? span->start : start);
    }
    return bytes;
}

static uint8_t rights_of(const struct map_region *region)
{
    return (uint8_t)((region->readable ? MAPPING_READ : 0) |
                     (region->writable ? MAPPING_WRITE : 0) |
                     (region->executable ? MAPPING_EXECUTE : 0) |
                     (region->shared ? MAPPING_SHARED : 0));
}

static uint8_t owner_at(const struct mappings_question *question, struct cursors *at,
                        uint64_t start)
{
    while (at->area < question->area_count && question->areas[at->area].end <= start)
        at->area++;
    return (uint8_t)(at->area < question->area_count && question->areas[at->area].start <= start
                         ? question->areas[at->area].kind
                         : OWNER_OTHER);
}

/* Until where one site, or nobody, mapped what begins at `start`. */
static uint64_t piece_end(const struct mappings_question *question, struct cursors *at,
                          uint64_t start, uint64_t end, uint32_t *site)
{
    *site = OWNER_NOBODY;
    while (at->mapped < question->mapped_count && question->mapped[at->mapped].end <= start)
        at->mapped++;
    if (at->mapped == question->mapped_count)
        return end;
    const struct owner_range *range = &question->mapped[at->mapped];
    if (range->start > start)
        return range->start < end ? range->start : end;
    *site = range->site;
    uint64_t reach = range->end;
    for (size_t i = at->mapped + 1;
         i < question->mapped_count && question->mapped[i].start == reach &&
         question->mapped[i].site == *site;
         i++)
        reach = question->mapped[i].end;
    return reach < end ? reach : end;
}

/* The kernel makes one mapping of neighbours that are alike, whoever asked for them: here they
 * are several. */
static int add_pieces(const struct mappings_question *question, struct cursors *at, uint32_t source,
                      struct look_mappings *list)
{
    const struct map_region *region = &question->maps->regions.items[source];
    for (uint64_t start = region->start, end; start < region->end; start = end) {
        uint32_t site;
        end = piece_end(question, at, start, region->end, &site);
        struct look_mapping const piece = {.start = start,
                                           .end = end,
                                           .resident = resident_in(question, at, start, end),
                                           .source = source,
                                           .site = site,
                                           .count = 1,
                                           .rights = rights_of(region),
                                           .owner = owner_at(question, at, start)};
        if (!vec_push(&list->items, piece))
            return -ENOMEM;
    }
    return 0;
}

/* Neighbours become one; what they have in all stays exact. */
static void join(struct look_mapping *into, const struct look_mapping *next, uint64_t *most)
{
    if (next->resident > *most) {
        *most = next->resident;
        into->source = next->source;
        into->owner = next->owner;
    }
    into->end = next->end;
    into->resident += next->resident;
    into->count += next->count;
    into->rights = 0;
    into->site = OWNER_NOBODY;
}

static void fold(struct look_mappings *list)
{
    size_t const count = list->items.count, each = (count + MAPPINGS_MAX - 1) / MAPPINGS_MAX;
    struct look_mapping *items = list->items.items;
    size_t kept = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % each) {
            join(&items[kept - 1], &items[i], &most);
        } else {
            items[kept++] = items[i];
            most = items[i].resident;
        }
    }
    list->items.count = kept;
}

int look_mappings_make(const struct mappings_question *question, struct look_mappings *list)
{
    struct cursors at = {0, 0, 0};
    *list = (struct look_mappings){.items = {0}};
    for (size_t i = 0; i < question->maps->regions.count; i++) {
        if (add_pieces(question, &at, (uint32_t)i, list) < 0) {
            vec_free(&list->items);
            return -ENOMEM;
        }
    }
    if (list->items.count > MAPPINGS_MAX)
        fold(list);
    return 0;
}
