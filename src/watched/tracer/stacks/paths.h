/* paths.h - a cache of stacks, for all threads of this process: one that was walked before is found
 * by one hash instead of frame by frame.
 *
 * A stack that is no longer in the cache gets another name, of the same frames.  Two stacks with
 * the same hash would be taken for one, so a thread compares what it finds with the trie's own
 * frames (`path_is`) before it uses it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer/stacks/slot_memory.h"

/* A stack: what was walked, innermost first, called from the outermost `join` frames of the
 * trunk. */
struct walked_path {
    const uint64_t *ret;
    uint32_t count; /* At least 1. */
    uint32_t join;
    const struct kept_frames *trunk;
    uint64_t hash; /* Of all frames, this process, and the generation of its rules. */
};

/* Where the walk began and how many frames there are: bits that go with the hash. */
#define DIGEST_SHIFT 22
static inline uint64_t path_digest(const struct walked_path *path)
{
    return (path->ret[0] * 0x9e3779b97f4a7c15ull + path->count + path->join) >> DIGEST_SHIFT;
}

/* Returns the node of this stack; TRIE_NONE if it is not known. */
uint32_t paths_find(const struct walked_path *path);
void paths_keep(const struct walked_path *path, uint32_t node);

/* Returns whether the frames of `node` are those of the stack. */
bool path_is(const struct walked_path *path, uint32_t node);
