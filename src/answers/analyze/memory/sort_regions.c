/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/sort_regions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/memory/region_place.h"
#include "base/hash.h"
#include "base/invariant.h"
#include "base/number_map.h"

struct sorting {
    struct breakdown *breakdown;
    struct sort_rules rules;
    struct number_map code;  /* hashes of names that are mapped as code */
    struct number_map known; /* leaf number + 1 by hash of its words */
    size_t next_claim;
    struct {
        const char *name; /* NULL: none yet */
        int64_t leaf;
    } last
        /* by rights: where the last mapping of that name went, for thousands are often alike */
        [16];
};

static uint64_t hash_words(const struct region_place *place)
{
    uint64_t const label = hash_bytes(place->label, strlen(place->label));
    uint64_t const item = hash_bytes(place->item, strlen(place->item));
    return hash_mix(label * 31 + item + place->section) | 1;
}

static bool leaf_is(const struct breakdown_leaf *leaf, const struct region_place *place)
{
    return leaf->section == place->section && strcmp(leaf->label, place->label) == 0 &&
           strcmp(leaf->item, place->item) == 0;
}

/* The number of the leaf, made when there is none; -ENOMEM. */
static int64_t find_leaf(struct sorting *sorting, const struct region_place *place)
{
    struct breakdown *breakdown = sorting->breakdown;
    for (uint64_t key = hash_words(place);; key += 2) {
        uint32_t *number = number_map_at(&sorting->known, key);
        if (!number)
            return -ENOMEM;
        if (*number && !leaf_is(&breakdown->leaves.items[*number - 1], place))
            continue;
        if (*number == 0) {
            struct breakdown_leaf const leaf = {
                .section = place->section,
                .label = breakdown_text(breakdown, "%s", place->label),
                .item = place->item[0] ? breakdown_text(breakdown, "%s", place->item) : "",
                .evidence = place->evidence};
            if (!vec_push(&breakdown->leaves, leaf))
                return -ENOMEM;
            *number = (uint32_t)breakdown->leaves.count;
        }
        INVARIANT(*number <= breakdown->leaves.count);
        return *number - 1;
    }
}

/* Regions come by address, as claims do. */
static const struct memory_claim *claim_on(struct sorting *sorting,
                                           const struct memory_region *region)
{
    const struct breakdown *breakdown = sorting->breakdown;
    while (sorting->next_claim < breakdown->claims.count &&
           breakdown->claims.items[sorting->next_claim].end <= region->start)
        sorting->next_claim++;
    if (sorting->next_claim == breakdown->claims.count)
        return NULL;
    const struct memory_claim *claim = &breakdown->claims.items[sorting->next_claim];
    return claim->start <= region->start && claim->end >= region->end ? claim : NULL;
}

/* What the kernel says of it, and nothing else. */
static void find_plain_place(enum sort_by by, const struct memory_region *region,
                             struct region_place *place)
{
    *place = (struct region_place){.section = SECTION_OTHER, .evidence = EVIDENCE_KERNEL};
    bool const is_file = region->name[0] == '/' || region->name[0] == '.';
    if (by == SORT_BY_RIGHTS)
        snprintf(place->label, sizeof(place->label), "%s", region->rights);
    else if (by == SORT_BY_FILE) {
        size_t const length = strlen(region->name), room = sizeof(place->label) - 2;
        bool const is_long = length > room; /* the end of a path tells files apart */
        snprintf(place->label, sizeof(place->label), "%s%s", is_file && is_long ? "~" : "",
                 is_file ? region->name + (is_long ? length - room : 0) : "[no file]");
    } else if (region->name[0] == '\0')
        snprintf(place->label, sizeof(place->label), "[anonymous]");
    else
        name_without_number(region->name, strlen(region->name), place->label, sizeof(place->label));
}

static void find_place(struct sorting *sorting, const struct memory_region *region,
                       const struct memory_claim *claim, struct region_place *place)
{
    if (sorting->rules.by != SORT_BY_CATEGORY) {
        find_plain_place(sorting->rules.by, region, place);
        return;
    }
    if (claim) {
        *place = (struct region_place){.section = claim->section, .evidence = claim->evidence};
        snprintf(place->label, sizeof(place->label), "%s", claim->label);
        snprintf(place->item, sizeof(place->item), "%s", claim->item ? claim->item : "");
        return;
    }
    for (size_t i = 0; i < sorting->rules.count; i++) {
        if (fnmatch(sorting->rules.items[i].pattern, region->name, 0) != 0)
            continue;
        *place = (struct region_place){.section = SECTION_NAMED, .evidence = EVIDENCE_USER};
        snprintf(place->label, sizeof(place->label), "%s", sorting->rules.items[i].label);
        return;
    }
    uint64_t const name = hash_bytes(region->name, strlen(region->name)) | 1;
    struct region_context const context = {.program = sorting->breakdown->program,
                                           .has_code = number_map_get(&sorting->code, name) != 0};
    region_place_find(region, &context, place);
}

static int note_code(struct sorting *sorting)
{
    vec_each (region, &sorting->breakdown->regions) {
        if (region->rights[2] != 'x' || region->name[0] != '/')
            continue;
        uint32_t *known =
            number_map_at(&sorting->code, hash_bytes(region->name, strlen(region->name)) | 1);
        if (!known)
            return -ENOMEM;
        *known = 1;
    }
    return 0;
}

static unsigned rights_number(const struct memory_region *region)
{
    const char *rights = region->rights;
    return (rights[0] == 'r') | (rights[1] == 'w') << 1 | (rights[2] == 'x') << 2 |
           (rights[3] == 's') << 3;
}

/* The leaf of a region, or -ENOMEM. */
static int64_t leaf_of(struct sorting *sorting, const struct memory_region *region)
{
    const struct memory_claim *claim = claim_on(sorting, region);
    unsigned const rights = rights_number(region);
    INVARIANT(rights < 16);
    struct region_place place;
    if (!claim && sorting->last[rights].name == region->name)
        return sorting->last[rights].leaf;
    find_place(sorting, region, claim, &place);
    int64_t const leaf = find_leaf(sorting, &place);
    if (leaf >= 0 && place.evidence == EVIDENCE_SHAPE)
        sorting->breakdown->leaves.items[leaf].evidence = EVIDENCE_SHAPE;
    if (!claim) {
        sorting->last[rights].name = region->name;
        sorting->last[rights].leaf = leaf;
    }
    return leaf;
}

static void add_bytes(struct breakdown *breakdown, size_t leaf_number, uint32_t regions,
                      const struct memory_bytes *bytes)
{
    INVARIANT(leaf_number < breakdown->leaves.count);
    struct breakdown_leaf *leaf = &breakdown->leaves.items[leaf_number];
    leaf->regions += regions;
    memory_bytes_add(&leaf->bytes, bytes);
    memory_bytes_add(&breakdown->total, bytes);
}

static int add_region(struct sorting *sorting, const struct memory_region *region)
{
    struct breakdown *breakdown = sorting->breakdown;
    int64_t const number = leaf_of(sorting, region);
    if (number < 0 || !vec_push(&breakdown->region_leaves, (uint32_t)number))
        return -ENOMEM;
    add_bytes(breakdown, (size_t)number, 1, &region->bytes);
    return 0;
}

/* On what is folded there is no claim. */
static int add_folded(struct sorting *sorting)
{
    struct breakdown *breakdown = sorting->breakdown;
    vec_each (folded, &breakdown->folded) {
        struct region_place place;
        find_place(sorting, &folded->sum, NULL, &place);
        int64_t const number = find_leaf(sorting, &place);
        if (number < 0)
            return -ENOMEM;
        add_bytes(breakdown, (size_t)number, folded->count, &folded->sum.bytes);
    }
    return 0;
}

/* ---- order: sections, in them labels by their sum, in them items; ties by name ---- */

struct ordered {
    struct breakdown_leaf leaf;
    uint64_t label_value, value; /* of the figure that orders them */
    uint32_t number;
};

static int order(const void *left, const void *right)
{
    const struct ordered *a = left, *b = right;
    if (a->leaf.section != b->leaf.section)
        return a->leaf.section < b->leaf.section ? -1 : 1;
    if (a->label_value != b->label_value)
        return a->label_value > b->label_value ? -1 : 1;
    int const labels = strcmp(a->leaf.label, b->leaf.label);
    if (labels)
        return labels;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return strcmp(a->leaf.item, b->leaf.item);
}

/* Leaves of one label stand together already. */
static void sum_labels(struct ordered *list, size_t count)
{
    for (size_t first = 0, next; first < count; first = next) {
        uint64_t sum = 0;
        for (next = first; next < count && list[next].leaf.section == list[first].leaf.section &&
                           strcmp(list[next].leaf.label, list[first].leaf.label) == 0;
             next++)
            sum += list[next].value;
        for (size_t i = first; i < next; i++)
            list[i].label_value = sum;
    }
}

static int order_leaves(struct breakdown *breakdown, enum memory_figure figure)
{
    size_t const count = breakdown->leaves.count;
    INVARIANT(breakdown->region_leaves.count == breakdown->regions.count);
    struct ordered *list = calloc(count ? count : 1, sizeof(*list));
    uint32_t *moved = calloc(count ? count : 1, sizeof(*moved));
    if (list && moved) {
        for (uint32_t i = 0; i < count; i++)
            list[i] = (struct ordered){
                .leaf = breakdown->leaves.items[i],
                .value = memory_figure_of(&breakdown->leaves.items[i].bytes, figure),
                .number = i};
        qsort(list, count, sizeof(*list), order); /* by label, as there are no sums yet */
        sum_labels(list, count);
        qsort(list, count, sizeof(*list), order);
        for (uint32_t i = 0; i < count; i++) {
            breakdown->leaves.items[i] = list[i].leaf;
            moved[list[i].number] = i;
        }
        vec_each (leaf, &breakdown->region_leaves)
            *leaf = moved[*leaf];
    }
    bool const fits = list && moved;
    free(list);
    free(moved);
    return fits ? 0 : -ENOMEM;
}

const char *const sort_by_names[] = {"category", "name", "file", "perm", NULL};

static const char *const plain_titles[] = {[SORT_BY_CATEGORY] = NULL,
                                           [SORT_BY_NAME] = "By Name",
                                           [SORT_BY_FILE] = "By File",
                                           [SORT_BY_RIGHTS] = "By Rights"};

int breakdown_sort(struct breakdown *breakdown, struct sort_rules rules)
{
    struct sorting sorting = {.breakdown = breakdown, .rules = rules};
    breakdown->leaves.count = breakdown->region_leaves.count = 0;
    breakdown->total = (struct memory_bytes){0};
    breakdown->plain_title = plain_titles[rules.by];
    int err = note_code(&sorting);
    for (size_t i = 0; i < breakdown->regions.count && err == 0; i++)
        err = add_region(&sorting, &breakdown->regions.items[i]);
    if (err == 0)
        err = add_folded(&sorting);
    if (err == 0)
        err = order_leaves(breakdown, rules.figure);
    number_map_fini(&sorting.code);
    number_map_fini(&sorting.known);
    return err;
}
