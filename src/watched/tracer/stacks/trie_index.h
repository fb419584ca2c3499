/* trie_index.h - how the tracer finds a node of the trie: by an index in the arena, which all
 * threads and processes share. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "wire/arena.h"
#include "wire/invariant.h"

/* The index has levels of slots, each four times as large as the one before; a probe looks at one
 * cache line of each.  So small programs use small tables. */
#define TRIE_LEVELS        6u
#define TRIE_FIRST_BITS    12u
#define TRIE_PROBE         8u
#define TRIE_LEVEL_BITS(k) (TRIE_FIRST_BITS + 2 * (k))

static inline uint64_t arena_level_offset(unsigned level)
{
    INVARIANT(level < TRIE_LEVELS);
    return ((1ull << TRIE_LEVEL_BITS(level)) - (1ull << TRIE_FIRST_BITS)) / 3 * sizeof(uint32_t);
}

static inline _Atomic uint32_t *arena_index_level(void *arena, unsigned level)
{
    return (_Atomic uint32_t *)((char *)arena + ARENA_INDEX_AT + arena_level_offset(level));
}

/* The sum of all levels. */
_Static_assert(ARENA_INDEX_BYTES >=
                   ((1ull << TRIE_LEVEL_BITS(TRIE_LEVELS)) - (1ull << TRIE_FIRST_BITS)) / 3 *
                       sizeof(uint32_t),
               "the index fits its part of the arena");
