/* pair_index.h - numbers for pairs of numbers, in the order they came: a tree whose nodes are found by their parent and what they are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct pair_index {
    VEC(uint64_t) pairs; /* by number: see pair_first, pair_second */
    uint32_t *slots;     /* open addressing: number + 1, 0 when free */
    size_t slot_mask;
};

static inline uint32_t pair_first(uint64_t pair)
{
    return (uint32_t)(pair >> 32);
}

static inline uint32_t pair_second(uint64_t pair)
{
    return (uint32_t)pair;
}

/* The number of a pair, the next one when it is new.  0, or -ENOMEM with the index as it was. */
int pair_index_find(struct pair_index *index, uint32_t first, uint32_t second, uint32_t *number);
/* Gives back what only finding needs, until the next time that somebody does. */
void pair_index_rest(struct pair_index *index);
void pair_index_fini(struct pair_index *index);
