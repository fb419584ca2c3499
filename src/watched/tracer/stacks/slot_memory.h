/* slot_memory.h - what the tracer remembers for a thread from one stack to the next, in the part of
 * the thread's slot (wire/arena.h) that is the tracer's own. */
#pragma once

#include <stdint.h>

#include "wire/arena.h"

#define FRAMES_KEPT                                                                                \
    4104u                /* remembered frames of a thread's stack; not a power of two: cache sets */
#define LINKS_KEPT 1024u /* saved frame pointers that the remembered frames depend on */
#define TIP_KEPT   16u   /* frames of a remembered tip, see struct kept_tip */
#define TIP_LINKS  8u    /* ... and saved frame pointers it depends on */
#define TIP_WAYS   4u
#define TIP_SETS   64u
#define LONG_KEPT  48u /* frames of a long tip */
#define LONG_LINKS 24u
#define LONG_SETS  32u

/* Frames of this thread's stack as they once were, outermost first: the trunk.  Each was called by
 * the one before it, so the part of it whose return addresses are all still in place is the stack
 * now. */
struct kept_frames {
    uint64_t slot[FRAMES_KEPT];          /* where the return address is */
    uint64_t ret[FRAMES_KEPT];           /* what it was */
    uint64_t frame_pointer[FRAMES_KEPT]; /* its register in the caller at that time */
    uint32_t node[FRAMES_KEPT]; /* trie node; top bit: the caller's fp matters further out */
    uint64_t link_slot[LINKS_KEPT],
        link_value[LINKS_KEPT];      /* other words that must still hold ... */
    uint32_t link_frame[LINKS_KEPT]; /* ... for frames from this one inward */
};
#define KEPT_NEEDS_FP 0x80000000u

/* What a tip rests on beside its return addresses. */
struct tip_head {
    uint64_t place;              /* of the innermost return address; 0: no tip */
    uint64_t frame_pointer;      /* of the innermost */
    uint64_t join_slot, join_fp; /* of the trunk's frame outside it, number join - 1 */
    uint32_t join, join_node;
    uint32_t count, link_count;
    uint32_t node; /* of the innermost, with KEPT_NEEDS_FP */
};

/* The inner frames of a stack that left the trunk early, innermost first. */
struct kept_tip {
    uint64_t ret[TIP_KEPT];
    uint32_t above[TIP_KEPT]; /* bytes from the innermost return address to this one */
    struct tip_head head;
    uint32_t link_above[TIP_LINKS];
    uint64_t link_value[TIP_LINKS];
};

/* The same, of one that left it near the root. */
struct long_tip {
    uint64_t ret[LONG_KEPT];
    uint32_t above[LONG_KEPT];
    struct tip_head head;
    uint32_t link_above[LONG_LINKS];
    uint64_t link_value[LONG_LINKS];
};

/* Programs come back to the same few stacks, and many begin in the same wrapper at the same
 * depth: tips are found by the innermost return address and its place, several to each. */
struct tip_set {
    uint64_t key[TIP_WAYS];
    uint32_t last;   /* the one that held last */
    uint32_t victim; /* the one to give up next */
    uint64_t unused[3];
};

struct kept_tips {
    struct tip_set sets[TIP_SETS];
    struct kept_tip tips[TIP_SETS][TIP_WAYS];
    struct tip_set long_sets[LONG_SETS];
    struct long_tip long_tips[LONG_SETS][TIP_WAYS];
    uint64_t has_long, unused[7]; /* not 0: there is a long one */
};

/* A walk under way, innermost first. */
struct walked_frames {
    uint64_t slot[FRAMES_KEPT], ret[FRAMES_KEPT], frame_pointer[FRAMES_KEPT], rule[FRAMES_KEPT];
};

/* A step inward in the trie that this thread took lately. */
struct known_child {
    uint64_t key; /* return address, and the generation of the rules */
    uint32_t parent, node;
};
#define CHILDREN_BITS 12

/* Several such steps at once. */
struct known_path {
    uint64_t hash; /* as struct walked_path has it */
    uint64_t key;  /* the innermost return address, and how many there are */
    uint32_t parent, node;
    uint32_t walk;  /* the number of the walk that came this way last */
    uint32_t unfit; /* not 0: it cannot be a tip */
};
#define PATHS_BITS 13

/* Outer frames of the last walk that left the trunk for something new, outermost last. */
#define LAST_KEPT 256u
struct last_walk {
    uint64_t slot[LAST_KEPT], ret[LAST_KEPT];
    uint32_t count, walks; /* frames; walks that found no tip, so far */
    uint64_t unused[7];
};

/* What the tracer remembers for one thread, between the frames and the ring. */
struct slot_memory {
    struct known_child children[1u << CHILDREN_BITS];
    struct known_path paths[1u << PATHS_BITS];
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

static inline struct walked_frames *arena_slot_walked(struct arena_slot *slot)
{
    return (struct walked_frames *)(arena_slot_frames(slot) + 1);
}

_Static_assert(SLOT_OWN_AT + sizeof(struct kept_frames) + sizeof(struct walked_frames) +
                       sizeof(struct slot_memory) + RING_BYTES <=
                   SLOT_STRIDE,
               "a slot fits its stride");
_Static_assert(sizeof(struct tip_set) == 64, "one line");
_Static_assert(sizeof(struct slot_memory) % 64 == 0, "lines stay whole");
