/* tables.h - the arena as this process has it mapped: its head at once, the rest in pieces when
 * needed.
 *
 * A program may lock all its memory into RAM, or may have little address space, and mapped memory
 * counts.  If the address space is not limited, the pieces are reserved without access, which locks
 * nothing.  Mapping a piece later needs neither a path nor a descriptor, because the program may be
 * in a chroot or a sandbox by then.
 *
 * Any thread may ask for a piece; NULL: it cannot be mapped. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "tracer/stacks/trie_index.h"
#include "wire/arena.h"
#include "wire/invariant.h"

#define NODE_PIECE_BITS 15
#define NODE_PIECES     (ARENA_NODES >> NODE_PIECE_BITS)

struct tracer_tables {
    _Atomic(void *) nodes[NODE_PIECES], levels[TRIE_LEVELS], slots[ARENA_SLOTS];
};
extern struct tracer_tables tracer_tables __attribute__((visibility("hidden")));

/* Maps the head of the arena: header, processes, tags, modules and the plan.  Sets `status`.
 * Returns 0, or -errno: -EPROTO if it is of another version. */
int tables_open(int fd, struct stat *status);
struct arena_header *tables_head(void);
/* Unmaps the arena, when it is no longer used. */
void tables_close(void);
/* Uses an arena that is already mapped as a whole. */
void tables_adopt(void *arena);

/* To be called when the program is about to limit its address space: gives back what is reserved
 * and not used. */
void tables_give_back(void);
/* To be called when the program was refused memory.  If our reservation may be the reason, under a
 * limit that was not seen coming (of prlimit(1)), gives it back and returns true: the program may
 * ask again. */
bool tables_yield(void);
/* To be called in a forked child: no other thread works on the tables. */
void tables_forget_turn(void);

/* To be called in a forked child: `slot`, at `index`, stays at its address with its content except
 * the ring and the names of stacks, and belongs to this process alone from now on. */
void tables_part_with_slot(struct arena_slot *slot, uint32_t index);

struct trie_node *tables_map_nodes(uint32_t piece);
_Atomic uint32_t *tables_map_level(unsigned level);
struct arena_slot *tables_map_slot(uint32_t index);

/* `id` may be any number: it comes from the arena. */
static inline struct trie_node *table_node(uint32_t id)
{
    if (__builtin_expect(id >= ARENA_NODES, 0))
        return NULL;
    struct trie_node *piece =
        atomic_load_explicit(&tracer_tables.nodes[id >> NODE_PIECE_BITS], memory_order_acquire);
    if (__builtin_expect(!piece, 0) && !(piece = tables_map_nodes(id >> NODE_PIECE_BITS)))
        return NULL;
    return piece + (id & ((1u << NODE_PIECE_BITS) - 1));
}

static inline _Atomic uint32_t *table_level(unsigned level)
{
    INVARIANT(level < TRIE_LEVELS);
    _Atomic uint32_t *at = atomic_load_explicit(&tracer_tables.levels[level], memory_order_acquire);
    return __builtin_expect(at != NULL, 1) ? at : tables_map_level(level);
}

static inline struct arena_slot *table_slot(uint32_t index)
{
    INVARIANT(index < ARENA_SLOTS);
    struct arena_slot *at = atomic_load_explicit(&tracer_tables.slots[index], memory_order_acquire);
    return at ? at : tables_map_slot(index);
}
