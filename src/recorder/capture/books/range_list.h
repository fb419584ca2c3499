/* range_list.h - a list of address ranges in order, without overlaps, of any length.
 *
 * The ranges are in leaves of about a hundred, so that an insertion or removal moves little:
 * programs that map pages one by one have a million ranges, and the newest is mostly the lowest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct mapped_range {
    uint64_t start, end;
    uint32_t site;
    uint32_t piece_of; /* See map_book.c. */
};

#define RANGE_LEAF_MAX 128u
struct range_leaf {
    uint32_t count; /* Never 0. */
    struct mapped_range items[RANGE_LEAF_MAX];
};

/* All zero: an empty list. */
struct range_list {
    VEC(struct range_leaf *) leaves;
};

/* Valid until the list changes. */
struct range_spot {
    size_t leaf;
    uint32_t at;
};

/* range_list_is_valid returns whether the ranges are in order and none is empty, and sets their
 * number and bytes. */
struct range_sum {
    uint64_t count, bytes;
};
bool range_list_is_valid(const struct range_list *list, struct range_sum *sum);

void range_list_fini(struct range_list *list);

/* Returns the first range that ends after `address`, or NULL; `spot` is its place, or the end of
 * the list. */
struct mapped_range *range_list_find(const struct range_list *list, uint64_t address,
                                     struct range_spot *spot);
/* Inserts a range at `spot`; the caller knows that this is in order.  Returns 0 or -ENOMEM. */
int range_list_insert(struct range_list *list, struct range_spot spot, struct mapped_range range);
void range_list_remove(struct range_list *list, struct range_spot spot);
