/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/shapes.h"

#include <string.h>

#include "symbols/allocators/program_marks.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

#define GO_ARENA      (64 * MIB)
#define GO_HEAP_END   ((uint64_t)0x70 << 40)
#define LOW_ADDRESSES GO_HEAP_END

static bool is_nameless(const struct memory_region *region)
{
    return region->name[0] == '\0' && region->rights[3] == 'p';
}

static bool is_writable(const struct memory_region *region)
{
    return memcmp(region->rights, "rw-", 3) == 0;
}

static bool is_reserved(const struct memory_region *region)
{
    return is_nameless(region) && memcmp(region->rights, "---", 3) == 0;
}

static void claim(struct breakdown *breakdown, const struct memory_region *region,
                  enum breakdown_section section, const char *label,
                  enum breakdown_evidence evidence)
{
    (void)breakdown_claim(
        breakdown, (struct memory_claim){region->start, region->end, section, label, "", evidence});
}

/* Whether a large mapping without rights lies right below or above: a reservation of which this
 * was taken. */
static bool is_among_reserved(const struct breakdown *breakdown, size_t number, uint64_t least)
{
    const struct memory_region *region = &breakdown->regions.items[number];
    const struct memory_region *below = number ? region - 1 : NULL;
    const struct memory_region *above = number + 1 < breakdown->regions.count ? region + 1 : NULL;
    return (below && below->end == region->start && is_reserved(below) &&
            below->bytes.size >= least) ||
           (above && above->start == region->end && is_reserved(above) &&
            above->bytes.size >= least);
}

/* Regions from `first` on that touch each other and have no name; the number of the one after
 * them. */
static size_t group_end(const struct breakdown *breakdown, size_t first)
{
    const struct memory_region *regions = breakdown->regions.items;
    size_t next = first + 1;
    while (next < breakdown->regions.count && is_nameless(&regions[next]) &&
           regions[next].start == regions[next - 1].end)
        next++;
    return next;
}

/* Arenas of 64 MiB side by side, far from where the kernel puts what others map: from
 * 0xc000000000 on, or since Go 1.26 anywhere. */
static bool is_go_heap(const struct memory_region *first, const struct memory_region *last)
{
    return first->start % GO_ARENA == 0 && last->end % GO_ARENA == 0 && last->end < GO_HEAP_END &&
           first->start >= GO_ARENA && !(first->flags & REGION_NO_RESERVE);
}

void claim_go(struct breakdown *breakdown, enum breakdown_evidence heap)
{
    const struct memory_region *regions = breakdown->regions.items;
    for (size_t first = 0, next; first < breakdown->regions.count; first = next) {
        next = first + 1;
        if (!is_nameless(&regions[first]))
            continue;
        next = group_end(breakdown, first);
        bool const is_heap = is_go_heap(&regions[first], &regions[next - 1]);
        for (size_t i = first; i < next; i++) {
            if (is_heap)
                claim(breakdown, &regions[i], SECTION_RUNTIME, "Heap", heap);
            else if (is_writable(&regions[i]) && is_among_reserved(breakdown, i, MIB))
                claim(breakdown, &regions[i], SECTION_RUNTIME, "Metadata", EVIDENCE_SHAPE);
        }
    }
}

/* ---- one runtime each: what a nameless mapping is, or NULL ---- */

/* Heap below 32 GiB, where compressed pointers reach; code that was made; what was taken of
 * other reservations. */
static const char *java_label(const struct breakdown *breakdown, size_t number)
{
    const struct memory_region *region = &breakdown->regions.items[number];
    if (region->rights[2] == 'x')
        return "Code cache";
    if (!is_writable(region) || region->flags & (REGION_NO_HUGE | REGION_NO_RESERVE))
        return NULL;
    if (region->end <= 32 * GIB)
        return "Heap";
    return is_among_reserved(breakdown, number, 256 * KIB) ? "Metaspace and GC tables" : NULL;
}

/* Pages of 256 KiB, aligned so, at random addresses below those of the kernel's choice; not
 * given to children. */
static const char *v8_label(const struct breakdown *breakdown, size_t number)
{
    const struct memory_region *region = &breakdown->regions.items[number];
    bool const is_apart = region->start < LOW_ADDRESSES || region->flags & REGION_NO_FORK;
    if (region->rights[2] == 'x')
        return "Code";
    return is_apart && region->start % (256 * KIB) == 0 && region->rights[0] == 'r' ? "Heap" : NULL;
}

/* Arenas of 1 MiB (256 KiB before 3.10), which the kernel shows merged. */
static const char *python_label(const struct memory_region *region)
{
    bool const is_plain = is_writable(region) && !(region->flags & REGION_NO_RESERVE);
    return is_plain && region->bytes.size % MIB == 0 ? "Object arenas" : NULL;
}

/* jemalloc and mimalloc ask for memory without a reservation of swap, in large pieces. */
static const char *unreserved_label(const struct memory_region *region, const char *label)
{
    return is_writable(region) && region->flags & REGION_NO_RESERVE &&
                   !(region->flags & REGION_NO_FORK)
               ? label
               : NULL;
}

static void claim_shape(struct breakdown *breakdown, uint32_t marks, size_t number)
{
    const struct memory_region *region = &breakdown->regions.items[number];
    const char *label = NULL;
    if (marks & MARK_JAVA)
        label = java_label(breakdown, number);
    else if (marks & MARK_V8)
        label = v8_label(breakdown, number);
    else if (marks & MARK_PYTHON)
        label = python_label(region);
    if (label) {
        claim(breakdown, region, SECTION_RUNTIME, label, EVIDENCE_SHAPE);
        return;
    }
    if (marks & MARK_JEMALLOC)
        label = unreserved_label(region, "jemalloc");
    else if (marks & MARK_MIMALLOC)
        label = unreserved_label(region, "mimalloc");
    if (label)
        claim(breakdown, region, SECTION_ALLOCATOR, label, EVIDENCE_SHAPE);
}

void claim_shapes(struct breakdown *breakdown, uint32_t marks)
{
    if (!(marks & (MARK_JAVA | MARK_V8 | MARK_PYTHON | MARK_JEMALLOC | MARK_MIMALLOC)))
        return;
    for (size_t i = 0; i < breakdown->regions.count; i++)
        if (is_nameless(&breakdown->regions.items[i]))
            claim_shape(breakdown, marks, i);
}
