/* pair_index.h - gives each distinct pair of numbers a number, counting up from 0.
 *
 * Used for trees: the pair is the number of the parent node and what the node itself stands for. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct pair_index {
    VEC(uint64_t) pairs; /* By number; see pair_first and pair_second. */
    uint32_t *slots;     /* Hash table with open addressing: number + 1; 0: the slot is free. */
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

/* Sets *number to the number of the pair; a new pair gets the next free number.  Returns 0, or
 * -ENOMEM with the index unchanged. */
int pair_index_find(struct pair_index *index, uint32_t first, uint32_t second, uint32_t *number);
/* Frees the hash table; the next pair_index_find builds it again. */
void pair_index_rest(struct pair_index *index);
void pair_index_fini(struct pair_index *index);
