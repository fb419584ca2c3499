/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/stacks/trie.h"

#include <stdbool.h>

#include "tracer/stacks/tables.h"
#include "tracer/stacks/trie_index.h"
#include "tracer/rings/thread.h"
#include "wire/invariant.h"

/* Recursion is kept as it is up to this depth; beyond, repeated cycles are folded into one. */
#define FOLD_DEPTH 192
#define FOLD_CYCLE 24 /* the longest cycle looked for */

static uint64_t hash_key(uint32_t parent, uint64_t ip, uint32_t module)
{
    uint64_t x = (ip ^ (uint64_t)parent << 40) * 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x = (x + parent + ((uint64_t)module << 32)) * 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

static uint32_t depth_of(const struct trie_node *node)
{
    return node->depth & ~TRIE_FOLDED;
}

/* If the frames ip, parent, parent's parent ... begin with the same cycle twice, the node that ends
 * the inner repetition's twin: going there instead of deeper loses nothing but the count of rounds.
 */
static uint32_t fold(uint32_t parent, uint64_t ip)
{
    uint64_t ips[2 * FOLD_CYCLE];
    uint32_t ids[2 * FOLD_CYCLE], count = 1;
    ips[0] = ip;
    ids[0] = TRIE_NONE;
    for (uint32_t id = parent; count < 2 * FOLD_CYCLE && id >= TRIE_FIRST_NODE; count++) {
        struct trie_node *node = table_node(id);
        if (!node)
            break;
        ips[count] = node->ip;
        ids[count] = id;
        id = node->parent;
    }
    INVARIANT(count >= 1 && count <= 2 * FOLD_CYCLE);
    for (uint32_t cycle = 1; 2 * cycle <= count; cycle++) {
        uint32_t same = 0;
        while (same < cycle && ips[same] == ips[same + cycle])
            same++;
        if (same == cycle)
            return ids[cycle];
    }
    return TRIE_NONE;
}

void trie_mark_folded(uint32_t id)
{
    struct trie_node *node = id >= TRIE_FIRST_NODE ? table_node(id) : NULL;
    if (node)
        node->depth |= TRIE_FOLDED;
}

/* From so many nodes on what stacks have in common is shared, at any price. */
#define NODES_TIGHT (ARENA_NODES / 2)

/* `count` numbers in a row; TRIE_FULL when there are not so many. */
static uint32_t reserve_nodes(uint32_t count)
{
    struct arena_header *header = tracer_process.header;
    uint32_t const id = atomic_fetch_add_explicit(&header->node_count, count, memory_order_relaxed);
    if (id < ARENA_NODES && count <= ARENA_NODES - id)
        return id;
    atomic_fetch_sub_explicit(&header->node_count, count, memory_order_relaxed);
    return TRIE_FULL;
}

static uint32_t make_node(uint32_t parent, uint64_t ip, uint32_t module)
{
    struct trie_node *outer = parent >= TRIE_FIRST_NODE ? table_node(parent) : NULL;
    uint32_t const id = reserve_nodes(1);
    if (id == TRIE_FULL)
        return TRIE_FULL;
    struct trie_node *node = table_node(id);
    INVARIANT(id < ARENA_NODES);
    if (!node || (!outer && parent >= TRIE_FIRST_NODE))
        return TRIE_FULL;
    *node = (struct trie_node){.ip = ip, .parent = parent, .module = module, .target = id};
    if (outer)
        node->depth = outer->depth + 1;
    if (depth_of(node) >= FOLD_DEPTH) {
        uint32_t twin = fold(parent, ip);
        if (twin != TRIE_NONE) {
            node->target = twin;
            trie_mark_folded(twin);
        }
    }
    return id;
}

/* An entry of the index: the node's number, and above it a few bits of its hash, so that
 * strangers are passed over without a look at their node. */
#define TAG_SHIFT 22
_Static_assert(ARENA_NODES >> TAG_SHIFT == 1u, "a number and a tag make 32 bits");

static inline uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)hash << TAG_SHIFT;
}

struct trie_key {
    uint32_t parent, module;
    uint64_t ip;
};

/* Finds the node in a line of the index, or puts it into the first place that is free; `made`
 * keeps it for the next line when somebody else was quicker there.  What stands for it,
 * TRIE_NONE when the line is full of others. */
static always_inline uint32_t look_in_line(_Atomic uint32_t *line, const struct trie_key *key,
                                           uint32_t tag, uint32_t *made)
{
    INVARIANT((tag & (ARENA_NODES - 1)) == 0);                      /* the number goes there */
    INVARIANT((uintptr_t)line % (TRIE_PROBE * sizeof(*line)) == 0); /* within one line */
    for (unsigned i = 0; i < TRIE_PROBE; i++) {
        uint32_t entry = atomic_load_explicit(&line[i], memory_order_acquire);
        if (entry == 0) {
            if (*made == TRIE_NONE)
                *made = make_node(key->parent, key->ip, key->module);
            if (*made == TRIE_FULL)
                return TRIE_FULL;
            if (atomic_compare_exchange_strong_explicit(&line[i], &entry, tag | *made,
                                                        memory_order_acq_rel, memory_order_acquire))
                return table_node(*made)->target;
        }
        if ((entry ^ tag) >> TAG_SHIFT)
            continue;
        struct trie_node *node = table_node(entry & (ARENA_NODES - 1));
        if (node && node->ip == key->ip && node->parent == key->parent &&
            node->module == key->module)
            return node->target;
    }
    return TRIE_NONE;
}

uint32_t trie_push(uint32_t parent, uint64_t ip, uint32_t module)
{
    struct trie_key const key = {parent, module, ip};
    uint64_t hash = hash_key(parent, ip, module);
    uint32_t made = TRIE_NONE, tag = tag_of(hash);

    if (parent == TRIE_FULL)
        return TRIE_FULL;
    for (unsigned level = 0; level < TRIE_LEVELS; level++) {
        unsigned bits = TRIE_LEVEL_BITS(level);
        INVARIANT(bits >= TRIE_FIRST_BITS && bits < 32);
        _Atomic uint32_t *line = table_level(level);
        if (unlikely(!line))
            return TRIE_FULL;
        line += hash >> (64 - bits) & ~(uint64_t)(TRIE_PROBE - 1);
        uint32_t const found = look_in_line(line, &key, tag, &made);
        if (found != TRIE_NONE)
            return found;
    }
    return TRIE_FULL;
}

/* Frame by frame, each found if it is there. */
static uint32_t push_all(uint32_t parent, const uint64_t *ret, uint32_t count,
                         uint32_t (*module_of)(uint64_t ret))
{
    for (uint32_t i = count; i-- > 0;)
        parent = trie_push(parent, ret[i], module_of(ret[i]));
    return parent;
}

uint32_t trie_append(uint32_t parent, const uint64_t *ret, uint32_t count,
                     uint32_t (*module_of)(uint64_t ret))
{
    INVARIANT(count > 0);
    const struct trie_node *outer = parent >= TRIE_FIRST_NODE ? table_node(parent) : NULL;
    uint32_t const depth = outer ? depth_of(outer) + 1 : 0;
    if (parent == TRIE_FULL || (!outer && parent >= TRIE_FIRST_NODE))
        return TRIE_FULL;
    bool const is_tight = atomic_load_explicit(&tracer_process.header->node_count,
                                               memory_order_relaxed) > NODES_TIGHT;
    if (is_tight || depth + count > FOLD_DEPTH)
        return push_all(parent, ret, count, module_of);
    uint32_t const first = reserve_nodes(count);
    if (first == TRIE_FULL)
        return TRIE_FULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t const id = first + i;
        struct trie_node *node = table_node(id);
        if (!node)
            return TRIE_FULL;
        uint64_t const ip = ret[count - 1 - i];
        *node = (struct trie_node){ip, i == 0 ? parent : id - 1, module_of(ip), id, depth + i};
    }
    return first + count - 1;
}
