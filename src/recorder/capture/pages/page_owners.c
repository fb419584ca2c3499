/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/page_owners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/pages/page_blocks.h"

struct page_finding {
    const struct page_question *question;
    struct page_blocks blocks;
    uint64_t *by_area;    /* bytes of pages that nobody else has */
    uint64_t *later;      /* of them, those that are not from before us */
    uint64_t *by_site;    /* mapped */
    size_t span, used;    /* cursors: of present pages, and of those with blocks */
    size_t named, ranged; /* and of the lists of ranges */
    size_t absent;        /* of present pages, for what is not */
};

/* Moves a cursor on to the first of a list that ends after `address`. */
#define ADVANCE(cursor, items, count, address)                                                     \
    while ((cursor) < (count) && (items)[cursor].end <= (address))                                 \
    (cursor)++

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool is_anonymous(const struct owner_area *area)
{
    return area->kind == OWNER_OTHER || area->kind == OWNER_KEPT;
}

/* What the program mapped or named there itself goes before what the area is. */
static bool has_ranges(const struct owner_area *area)
{
    return is_anonymous(area) || area->is_memory;
}

/* Who has the byte at `at`, in an area; *end comes down to where that changes. */
static uint64_t *owner_at(struct page_finding *finding, size_t area, uint64_t at, uint64_t *end)
{
    const struct page_question *question = finding->question;
    uint64_t *owner = &finding->by_area[area];
    if (!has_ranges(&question->areas[area]))
        return owner;
    ADVANCE(finding->ranged, question->mapped, question->mapped_count, at);
    if (finding->ranged < question->mapped_count) {
        const struct owner_range *range = &question->mapped[finding->ranged];
        *end = least(*end, at < range->start ? range->start : range->end);
        owner = at < range->start ? owner : &finding->by_site[range->site];
    }
    ADVANCE(finding->named, question->named, question->named_count, at);
    if (finding->named < question->named_count) {
        const struct owner_range *range = &question->named[finding->named];
        *end = least(*end, at < range->start ? range->start : range->end);
        owner = at < range->start ? owner : &finding->by_site[range->site];
    }
    return owner;
}

bool page_is_earlier(const struct page_question *question, uint64_t at, uint64_t *end)
{
    size_t low = 0, high = question->earlier_count;
    if (!question->is_attached || !question->earlier)
        return question->is_attached;
    while (low < high) {
        size_t const middle = (low + high) / 2;
        if (question->earlier[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == question->earlier_count)
        return false;
    const struct page_span *span = &question->earlier[low];
    *end = least(*end, at < span->start ? span->start : span->end);
    return at >= span->start;
}

/* What the pages of an area are that nobody has. */
static enum owner_kind kind_of(const struct page_finding *finding, size_t index, bool is_earlier)
{
    const struct page_question *question = finding->question;
    const struct owner_area *area = &question->areas[index];
    bool const is_heap =
        area->kind == OWNER_KEPT || (area->may_be_heap && area->kind == OWNER_OTHER &&
                                     page_blocks_is_used(&finding->blocks, area->start, area->end));
    if (is_earlier && is_anonymous(area))
        return OWNER_BEFORE; /* what came later is known */
    return is_heap ? OWNER_KEPT : area->kind;
}

/* Shares out resident pages of one area, without those that blocks are in. */
static void share_out(struct page_finding *finding, size_t area, uint64_t start, uint64_t end)
{
    const struct page_span *used = finding->blocks.used.items;
    size_t const count = finding->blocks.used.count;
    const struct area_visitor *visitor = &finding->question->areas_visitor;
    while (start < end) {
        uint64_t until = end;
        ADVANCE(finding->used, used, count, start);
        if (finding->used < count && used[finding->used].start <= start) {
            start = used[finding->used].end;
            continue;
        }
        if (finding->used < count)
            until = least(until, used[finding->used].start);
        uint64_t *owner = owner_at(finding, area, start, &until);
        bool const is_earlier = page_is_earlier(finding->question, start, &until);
        if (owner == &finding->by_area[area] && !is_earlier)
            owner = &finding->later[area];
        *owner += until - start;
        if (visitor->visit && (owner == &finding->by_area[area] || owner == &finding->later[area]))
            visitor->visit(visitor->self, kind_of(finding, area, is_earlier), start, until);
        start = until;
    }
}

/* Bytes of [start, end) that are not resident; calls must not go back. */
static uint64_t absent_bytes(struct page_finding *finding, uint64_t start, uint64_t end)
{
    const struct page_question *question = finding->question;
    uint64_t absent = end - start;
    ADVANCE(finding->absent, question->present, question->present_count, start);
    for (size_t i = finding->absent; i < question->present_count; i++) {
        const struct page_span *span = &question->present[i];
        if (span->start >= end)
            break;
        absent -= least(span->end, end) - (span->start > start ? span->start : start);
    }
    return absent;
}

/* What the program mapped itself, not from a file, and is not there. */
static uint64_t count_reserved(struct page_finding *finding)
{
    const struct page_question *question = finding->question;
    uint64_t reserved = 0;
    size_t area = 0;
    for (size_t i = 0; i < question->mapped_count; i++) {
        const struct owner_range *range = &question->mapped[i];
        ADVANCE(area, question->areas, question->area_count, range->start);
        for (size_t k = area; k < question->area_count && question->areas[k].start < range->end;
             k++) {
            const struct owner_area *in = &question->areas[k];
            if (has_ranges(in))
                reserved +=
                    absent_bytes(finding, in->start > range->start ? in->start : range->start,
                                 least(in->end, range->end));
        }
    }
    return reserved;
}

static void share_out_areas(struct page_finding *finding)
{
    const struct page_question *question = finding->question;
    for (size_t i = 0; i < question->area_count; i++) {
        const struct owner_area *area = &question->areas[i];
        ADVANCE(finding->span, question->present, question->present_count, area->start);
        for (size_t k = finding->span; k < question->present_count; k++) {
            const struct page_span *span = &question->present[k];
            if (span->start >= area->end)
                break;
            share_out(finding, i, span->start > area->start ? span->start : area->start,
                      least(span->end, area->end));
        }
    }
}

static int add(struct page_owners *owners, enum owner_kind kind, uint32_t who, uint64_t bytes)
{
    owners->bytes += bytes;
    if (bytes == 0)
        return 0;
    return vec_push(&owners->owned, (struct owned){kind, who, bytes}) ? 0 : -ENOMEM;
}

static int add_sites(struct page_owners *owners, enum owner_kind kind, const uint64_t *bytes,
                     uint32_t count)
{
    int err = 0;
    for (uint32_t i = 0; i < count && err == 0; i++)
        err = add(owners, kind, i, bytes[i]);
    return err;
}

int owned_compare(const void *left, const void *right)
{
    const struct owned *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->who < b->who ? -1 : a->who > b->who;
}

/* Several areas may have one name. */
static void merge(struct page_owners *owners)
{
    struct owned *items = owners->owned.items;
    size_t count = 0;
    if (owners->owned.count)
        qsort(items, owners->owned.count, sizeof(*items), owned_compare);
    for (size_t i = 0; i < owners->owned.count; i++) {
        if (count && owned_compare(&items[count - 1], &items[i]) == 0)
            items[count - 1].bytes += items[i].bytes;
        else
            items[count++] = items[i];
    }
    owners->owned.count = count;
}

static int collect(const struct page_finding *finding, struct page_owners *owners)
{
    const struct page_question *question = finding->question;
    const struct page_blocks *blocks = &finding->blocks;
    uint32_t const sites = question->site_count;
    int err = add_sites(owners, OWNER_LIVE, blocks->live, sites);
    if (err == 0)
        err = add_sites(owners, OWNER_HELD, blocks->held, sites);
    if (err == 0)
        err = add_sites(owners, OWNER_MAPPED, finding->by_site, sites);
    if (err == 0 && blocks->unknown)
        err = add(owners, OWNER_BEFORE, OWNER_NOBODY, blocks->unknown);
    for (size_t i = 0; i < question->area_count && err == 0; i++) {
        err = add(owners, kind_of(finding, i, true), question->areas[i].name, finding->by_area[i]);
        if (err == 0)
            err =
                add(owners, kind_of(finding, i, false), question->areas[i].name, finding->later[i]);
    }
    merge(owners);
    owners->untouched = blocks->untouched;
    return err;
}

int page_owners_find(const struct page_question *question, struct page_owners *owners)
{
    struct page_finding finding = {.question = question};
    memset(owners, 0, sizeof(*owners));
    int err = page_blocks_find(question, &finding.blocks);
    finding.by_area = calloc(question->area_count + 1, sizeof(uint64_t));
    finding.later = calloc(question->area_count + 1, sizeof(uint64_t));
    finding.by_site = calloc((size_t)question->site_count + 1, sizeof(uint64_t));
    if (err == 0 && (!finding.by_area || !finding.later || !finding.by_site))
        err = -ENOMEM;
    if (err == 0) {
        share_out_areas(&finding);
        owners->reserved = count_reserved(&finding);
        err = collect(&finding, owners);
    }
    page_blocks_fini(&finding.blocks);
    free(finding.by_area);
    free(finding.later);
    free(finding.by_site);
    if (err < 0)
        page_owners_fini(owners);
    return err;
}

void page_owners_fini(struct page_owners *owners)
{
    vec_free(&owners->owned);
}
