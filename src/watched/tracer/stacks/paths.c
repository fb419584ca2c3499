/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/stacks/paths.h"

#include <stdatomic.h>

#include "tracer/rings/thread.h"
#include "tracer/stacks/tables.h"
#include "wire/invariant.h"

/* Lines of the processor's cache: a small table for the many programs that have few paths, which
 * then touch little memory, and a large one for what does not fit. */
#define LINE_ENTRIES 4u
#define SMALL_LINES  (1u << 10)
#define LARGE_LINES  (1u << 15)

/* Two words that check each other, so a torn read is a miss. */
struct path_entry {
    _Atomic uint64_t check; /* hash ^ value */
    _Atomic uint64_t value; /* the node, and above it what the hash does not say; 0: free */
};

struct path_line {
    _Alignas(64) struct path_entry entries[LINE_ENTRIES];
};

static struct path_line small_table[SMALL_LINES], large_table[LARGE_LINES];

/* NOLINTNEXTLINE(misc-redundant-expression): that is what is stated */
_Static_assert(ARENA_NODES == 1u << DIGEST_SHIFT, "a node and a digest make a word");
_Static_assert(sizeof(struct path_line) == 64, "one line");

static struct path_line *small_line(const struct walked_path *path)
{
    return &small_table[(path->hash >> 40) % SMALL_LINES];
}

static struct path_line *large_line(const struct walked_path *path)
{
    return &large_table[(path->hash >> 20) % LARGE_LINES];
}

static uint32_t find_in(struct path_line *line, uint64_t hash, uint64_t digest)
{
    for (unsigned i = 0; i < LINE_ENTRIES; i++) {
        struct path_entry *entry = &line->entries[i];
        uint64_t const check = atomic_load_explicit(&entry->check, memory_order_acquire);
        uint64_t const value = atomic_load_explicit(&entry->value, memory_order_relaxed);
        if ((check ^ value) == hash && value >> DIGEST_SHIFT == digest && value != 0)
            return (uint32_t)value & (ARENA_NODES - 1);
    }
    return TRIE_NONE;
}

uint32_t paths_find(const struct walked_path *path)
{
    INVARIANT(path->count > 0);
    uint64_t const digest = path_digest(path);
    uint32_t const node = find_in(small_line(path), path->hash, digest);
    return node != TRIE_NONE ? node : find_in(large_line(path), path->hash, digest);
}

/* A free place of the line, or NULL. */
static struct path_entry *free_place(struct path_line *line)
{
    for (unsigned i = 0; i < LINE_ENTRIES; i++) {
        if (atomic_load_explicit(&line->entries[i].value, memory_order_relaxed) == 0)
            return &line->entries[i];
    }
    return NULL;
}

/* Where the path goes; whoever is there is forgotten. */
static struct path_entry *make_room(const struct walked_path *path)
{
    struct path_line *large = large_line(path);
    struct path_entry *entry = free_place(small_line(path));
    if (!entry)
        entry = free_place(large);
    return entry ? entry : &large->entries[path->hash % LINE_ENTRIES];
}

void paths_keep(const struct walked_path *path, uint32_t node)
{
    INVARIANT(path->count > 0 && node < ARENA_NODES);
    struct path_entry *entry = make_room(path);
    uint64_t const value = path_digest(path) << DIGEST_SHIFT | node;
    atomic_store_explicit(&entry->value, value, memory_order_relaxed);
    atomic_store_explicit(&entry->check, value ^ path->hash, memory_order_release);
}

/* The node outside, if `node` is this frame; else TRIE_NONE. */
static inline uint32_t outside_if(uint32_t node, uint64_t ret)
{
    const struct trie_node *frame = node >= TRIE_FIRST_NODE ? table_node(node) : NULL;
    return frame && frame->ip == ret ? frame->parent : TRIE_NONE;
}

bool path_is(const struct walked_path *path, uint32_t node)
{
    INVARIANT(path->join <= FRAMES_KEPT);
    for (uint32_t i = 0; i < path->count && node != TRIE_NONE; i++)
        node = outside_if(node, path->ret[i]);
    for (uint32_t i = path->join; i-- > 0 && node != TRIE_NONE;) {
        if (node == (path->trunk->node[i] & ~KEPT_NEEDS_FP))
            return true;
        node = outside_if(node, path->trunk->ret[i]);
    }
    return node == TRIE_COMPLETE;
}
