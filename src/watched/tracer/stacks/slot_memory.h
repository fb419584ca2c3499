/* slot_memory.h - what the tracer remembers for a thread from one stack to the next.  It is in the
 * thread's slot (wire/arena.h), in the part for the tracer alone. */
#pragma once

#include <stdint.h>

#include "tracer/stacks/whole_hash.h"
#include "wire/arena.h"

#define FRAMES_KEPT                                                                                \
    4104u /* Remembered frames of a thread's stack; not a power of two: cache sets. */
#define LINKS_KEPT 1024u /* Saved frame pointers on which the remembered frames depend. */
#define TIP_KEPT   16u   /* Frames of a remembered tip, see struct kept_tip. */
#define TIP_LINKS  8u    /* Saved frame pointers on which a tip depends. */
#define TIP_WAYS   4u
#define TIP_SETS   64u
#define LONG_KEPT  48u /* Frames of a long tip. */
#define LONG_LINKS 24u
#define LONG_SETS  32u

/* The trunk: frames of this thread's stack as they once were, outermost first.  Each frame was
 * called by the one before it, so the part whose return addresses are all still in place is part of
 * the stack now. */
struct kept_frames {
    uint64_t slot[FRAMES_KEPT];          /* Where the return address is. */
    uint64_t ret[FRAMES_KEPT];           /* What it was. */
    uint64_t frame_pointer[FRAMES_KEPT]; /* Value of that register in the caller at that time. */
    uint32_t node[FRAMES_KEPT]; /* Trie node; top bit: the caller's fp matters further out. */
    struct whole_outer whole[FRAMES_KEPT]; /* Hash of this frame and all outside it. */
    uint64_t link_slot[LINKS_KEPT],
        link_value[LINKS_KEPT];      /* Other words that must be unchanged ... */
    uint32_t link_frame[LINKS_KEPT]; /* ... for frames from this one inward. */
};
#define KEPT_NEEDS_FP 0x80000000u

/* What a tip depends on besides its return addresses. */
struct tip_head {
    uint64_t place;              /* Of the innermost return address; 0: no tip. */
    uint64_t frame_pointer;      /* Of the innermost frame. */
    uint64_t join_slot, join_fp; /* Of the trunk's next outer frame, number join - 1. */
    uint32_t join, join_node;
    uint32_t count, link_count;
    uint32_t node; /* Of the innermost frame, with KEPT_NEEDS_FP. */
};

/* The inner frames of a stack that branched off near the inner end of the trunk, innermost
 * first. */
struct kept_tip {
    uint64_t ret[TIP_KEPT];
    uint32_t above[TIP_KEPT]; /* Bytes from the innermost return address to this one. */
    struct tip_head head;
    uint32_t link_above[TIP_LINKS];
    uint64_t link_value[TIP_LINKS];
};

/* Like kept_tip, for a stack that branched off near the outer end. */
struct long_tip {
    uint64_t ret[LONG_KEPT];
    uint32_t above[LONG_KEPT];
    struct tip_head head;
    uint32_t link_above[LONG_LINKS];
    uint64_t link_value[LONG_LINKS];
};

/* Programs come back to the same few stacks, and many stacks begin in the same wrapper at the same
 * depth: so tips are found by the innermost return address and its place, with several tips for
 * each. */
struct tip_set {
    uint64_t key[TIP_WAYS];
    uint32_t last;   /* The tip that matched last. */
    uint32_t victim; /* The tip to replace next. */
    uint64_t unused[3];
};

struct kept_tips {
    struct tip_set sets[TIP_SETS];
    struct kept_tip tips[TIP_SETS][TIP_WAYS];
    struct tip_set long_sets[LONG_SETS];
    struct long_tip long_tips[LONG_SETS][TIP_WAYS];
    uint64_t has_long; /* Not 0: there is a long one. */
    /* Of short and of long tips: looks that found none, against looks that did. */
    uint32_t wasted[2];
    uint64_t unused[6];
};

/* Walks take turns with the places and return addresses, so that each can be compared with the one
 * before it. */
struct walk_side {
    uint64_t slot[FRAMES_KEPT], ret[FRAMES_KEPT];
};
struct walk_memory {
    struct walk_side sides[2];
    uint64_t frame_pointer[FRAMES_KEPT], rule[FRAMES_KEPT];
};

/* A walk under way, innermost frame first. */
struct walked_frames {
    struct walk_side *side;
    uint64_t *frame_pointer, *rule;
};

/* A step inward in the trie that this thread took recently. */
struct known_child {
    uint64_t key; /* Return address, and the generation of the rules. */
    uint32_t parent, node;
};
#define CHILDREN_BITS 10

/* A whole stack that this thread knows the node of.  Four of them are a line of the cache. */
struct known_stack {
    uint64_t hash;  /* As in struct walked_path. */
    uint64_t value; /* The node, and above it the digest; 0: free. */
};
#define KNOWN_WAYS 4u
#define KNOWN_BITS 14

/* When a stack was last walked that was not deep below the trunk: what comes again soon may be a
 * tip. */
struct lately_walked {
    uint32_t tag;  /* Some bits of its hash, and where it met the trunk. */
    uint32_t walk; /* Number of the walk; low bit: it cannot be a tip. */
};
#define LATELY_WALKED 1024u

/* The last walk that left the trunk for something new. */
struct last_walk {
    uint32_t count; /* Its frames, without those that the trunk took. */
    uint32_t walks; /* Number of walks so far that found no tip. */
    uint32_t side;  /* Where it is; the walk under way is on the other side. */
    uint32_t unused[13];
};

/* What the tracer remembers for one thread, between the frames and the ring. */
struct slot_memory {
    struct known_child children[1u << CHILDREN_BITS];
    struct known_stack stacks[1u << KNOWN_BITS];
    struct lately_walked lately[LATELY_WALKED];
    struct last_walk last;
    struct kept_tips tips;
};

static inline struct kept_frames *arena_slot_frames(struct arena_slot *slot)
{
    return (struct kept_frames *)((char *)slot + SLOT_OWN_AT);
}

static inline struct slot_memory *arena_slot_memory(struct arena_slot *slot)
{
    return (struct slot_memory *)((char *)arena_slot_ring(slot) - sizeof(struct slot_memory));
}

static inline struct walked_frames walked_on(struct arena_slot *slot, uint32_t side)
{
    struct walk_memory *memory = (struct walk_memory *)(arena_slot_frames(slot) + 1);
    return (struct walked_frames){&memory->sides[side % 2], memory->frame_pointer, memory->rule};
}

static inline struct walked_frames arena_slot_walked(struct arena_slot *slot)
{
    return walked_on(slot, arena_slot_memory(slot)->last.side ^ 1);
}

_Static_assert(SLOT_OWN_AT + sizeof(struct kept_frames) + sizeof(struct walk_memory) +
                       sizeof(struct slot_memory) + RING_BYTES <=
                   SLOT_STRIDE,
               "a slot fits its stride");
_Static_assert(sizeof(struct tip_set) == 64, "one line");
_Static_assert(sizeof(struct slot_memory) % 64 == 0, "lines stay whole");
