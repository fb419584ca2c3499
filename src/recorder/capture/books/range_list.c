/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/range_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

void range_list_fini(struct range_list *list)
{
    vec_each (leaf, &list->leaves)
        free(*leaf);
    vec_free(&list->leaves);
}

static size_t find_leaf(const struct range_list *list, uint64_t address)
{
    size_t low = 0, high = list->leaves.count;
    while (low < high) {
        size_t const middle = (low + high) / 2;
        const struct range_leaf *leaf = list->leaves.items[middle];
        INVARIANT(leaf->count > 0 && leaf->count <= RANGE_LEAF_MAX);
        if (leaf->items[leaf->count - 1].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct mapped_range *range_list_find(const struct range_list *list, uint64_t address,
                                     struct range_spot *spot)
{
    *spot = (struct range_spot){find_leaf(list, address), 0};
    if (spot->leaf == list->leaves.count)
        return NULL;
    struct range_leaf *leaf = list->leaves.items[spot->leaf];
    size_t const at = vec_lower_bound(leaf, item, item->end <= address);
    spot->at = (uint32_t)at;
    INVARIANT(at < leaf->count); /* the last of this leaf ends after it */
    return &leaf->items[at];
}

bool range_list_is_valid(const struct range_list *list, struct range_sum *sum)
{
    uint64_t end = 0;
    *sum = (struct range_sum){0};
    vec_each (leaf, &list->leaves) {
        if ((*leaf)->count == 0 || (*leaf)->count > RANGE_LEAF_MAX)
            return false;
        for (uint32_t i = 0; i < (*leaf)->count; i++) {
            const struct mapped_range *range = &(*leaf)->items[i];
            if (range->start < end || range->start >= range->end)
                return false;
            end = range->end;
            sum->count++;
            sum->bytes += range->end - range->start;
        }
    }
    return true;
}

static int insert_leaf(struct range_list *list, size_t at)
{
    INVARIANT(at <= list->leaves.count);
    struct range_leaf *leaf = malloc(sizeof(*leaf));
    if (!leaf || !vec_reserve(&list->leaves, 1)) {
        free(leaf);
        return -ENOMEM;
    }
    struct range_leaf **leaves = list->leaves.items;
    memmove(leaves + at + 1, leaves + at, (list->leaves.count - at) * sizeof(*leaves));
    list->leaves.count++;
    leaf->count = 0;
    leaves[at] = leaf;
    return 0;
}

/* Half of a full leaf goes to a new one after it. */
static int split(struct range_list *list, struct range_spot *spot)
{
    int const err = insert_leaf(list, spot->leaf + 1);
    if (err < 0)
        return err;
    struct range_leaf *low = list->leaves.items[spot->leaf];
    struct range_leaf *high = list->leaves.items[spot->leaf + 1];
    INVARIANT(low->count == RANGE_LEAF_MAX && spot->at <= low->count);
    uint32_t const half = RANGE_LEAF_MAX / 2;
    high->count = low->count - half;
    low->count = half;
    memcpy(high->items, low->items + half, high->count * sizeof(struct mapped_range));
    if (spot->at > half) {
        spot->leaf++;
        spot->at -= half;
    }
    return 0;
}

int range_list_insert(struct range_list *list, struct range_spot spot, struct mapped_range range)
{
    int err = 0;
    if (spot.leaf == list->leaves.count && spot.leaf > 0) { /* at the end of the last leaf */
        spot.leaf--;
        spot.at = list->leaves.items[spot.leaf]->count;
    } else if (spot.leaf == list->leaves.count) {
        err = insert_leaf(list, 0);
    }
    if (err == 0 && list->leaves.items[spot.leaf]->count == RANGE_LEAF_MAX)
        err = split(list, &spot);
    if (err < 0)
        return err;
    struct range_leaf *leaf = list->leaves.items[spot.leaf];
    struct mapped_range *items = leaf->items;
    INVARIANT(leaf->count < RANGE_LEAF_MAX && spot.at <= leaf->count && range.start < range.end);
    INVARIANT(spot.at == 0 || items[spot.at - 1].end <= range.start);
    INVARIANT(spot.at == leaf->count || range.end <= items[spot.at].start);
    memmove(items + spot.at + 1, items + spot.at, (leaf->count - spot.at) * sizeof(*items));
    items[spot.at] = range;
    leaf->count++;
    return 0;
}

void range_list_remove(struct range_list *list, struct range_spot spot)
{
    INVARIANT(spot.leaf < list->leaves.count);
    struct range_leaf **leaves = list->leaves.items;
    struct range_leaf *leaf = leaves[spot.leaf];
    struct mapped_range *items = leaf->items;
    INVARIANT(spot.at < leaf->count);
    leaf->count--;
    memmove(items + spot.at, items + spot.at + 1, (leaf->count - spot.at) * sizeof(*items));
    if (leaf->count > 0)
        return;
    free(leaf);
    list->leaves.count--;
    memmove(leaves + spot.leaf, leaves + spot.leaf + 1,
            (list->leaves.count - spot.leaf) * sizeof(*leaves));
}
