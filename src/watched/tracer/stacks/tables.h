/* tables.h - the arena as this process has it mapped: its head at once, the rest piece by piece
 * when it is needed.
 *
 * A program may lock all its memory into RAM, or may use little address space, and what is
 * mapped counts.  Where address space is not limited the pieces are reserved without access,
 * which locks nothing.  Later neither a path nor a descriptor is needed, for the program may be
 * in a chroot or a sandbox by then.
 *
 * Any thread may ask for a piece; NULL says that it cannot be had. */
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

/* Maps the head of the arena: header, processes, tags, modules and the plan.  0, or -errno:
 * -EPROTO when it is of another version.  `status` is filled in. */
int tables_open(int fd, struct stat *status);
struct arena_header *tables_head(void);
/* When it is no longer used. */
void tables_close(void);
/* The whole arena is mapped here already. */
void tables_adopt(void *arena);

/* The program is about to limit its address space: what is reserved and not used goes back. */
void tables_give_back(void);
/* The program was refused memory.  Whether that may have been for what we reserve, under a limit
 * that we did not see coming (of prlimit(1)); it is given back then, and the program may ask
 * again. */
bool tables_yield(void);
/* In a forked child: no other thread works on the tables. */
void tables_forget_turn(void);

/* In a forked child: `slot`, number `index`, stays where it is, with what is in it but its ring,
 * and is nobody else's from now on. */
void tables_part_with_slot(struct arena_slot *slot, uint32_t index);

struct trie_node *tables_map_nodes(uint32_t piece);
_Atomic uint32_t *tables_map_level(unsigned level);
struct arena_slot *tables_map_slot(uint32_t index);

/* Any number: they come out of the arena. */
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
