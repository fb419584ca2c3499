/* walk.h - one walk outward, from a hook to where it meets the trunk or to the outer end of the
 * stack. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer/stacks/slot_memory.h"
#include "tracer/stacks/trunk.h"
#include "unwind/rule.h"
#include "wire/arena.h"

/* A trunk of so many frames is enough of the outer part of a stack that is deeper by DEEP_WALK
 * frames. */
#define DEEP_TRUNK 512u
#define DEEP_WALK  1024u
#define DEEP_INNER 64u

/* A walk: it begins at a hook, and ends where it meets the trunk, of which `join` frames are
 * outside the `count` walked ones. */
struct way_out {
    struct position at; /* fp is what the first `learned` frames left: more than `count` when the
                         * trunk took the outer ones. */
    uint32_t join, count, learned;
    uint64_t whole; /* of the walked return addresses, see whole_hash.h */
};

/* Walks outward from `out->at` until it meets one of `out->join` trunk frames or the outer end.
 * Returns the node to build on; TRIE_NONE if the fast way fails.  Rules and frame pointers of most
 * frames are only filled in by walk_learn. */
uint32_t walk_outward(struct arena_slot *slot, const struct kept_frames *kept, struct way_out *out);
void walk_learn(const struct walked_frames *walked, struct way_out *out);

/* Goes outward by one frame.  false when the fast way ends here, `rule` then says why. */
bool walk_step(struct position *at, unwind_rule rule, uint64_t high);
