/* range_list.h - address ranges in order, never overlapping, any number of them.
 *
 * Kept in leaves of a hundred or so, so that one that comes or goes moves little: programs that
 * map pages one by one have a million, and the newest is mostly the lowest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct mapped_range {
    uint64_t start, end;
    uint32_t site;
    uint32_t piece_of; /* see map_book.c */
};

#define RANGE_LEAF_MAX 128u
struct range_leaf {
    uint32_t count; /* never 0 */
    struct mapped_range items[RANGE_LEAF_MAX];
};

/* All zero is an empty one. */
struct range_list {
    VEC(struct range_leaf *) leaves;
};

/* Good until a range comes or goes. */
struct range_spot {
    size_t leaf;
    uint32_t at;
};

/* Whether they are in order, none empty; and how many, of how many bytes. */
struct range_sum {
    uint64_t count, bytes;
};
bool range_list_is_valid(const struct range_list *list, struct range_sum *sum);

void range_list_fini(struct range_list *list);

/* The first range that ends after `address`, or NULL; `spot` is before it, or at the end. */
struct mapped_range *range_list_find(const struct range_list *list, uint64_t address,
                                     struct range_spot *spot);
/* The caller knows that it is in order there.  0 or -ENOMEM. */
int range_list_insert(struct range_list *list, struct range_spot spot, struct mapped_range range);
void range_list_remove(struct range_list *list, struct range_spot spot);
