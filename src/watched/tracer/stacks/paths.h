/* paths.h - a cache of whole paths of calls, for all threads of this process: a path that was
 * walked before is found by one hash instead of frame by frame.
 *
 * A path that is no longer in the cache is named again by the trie, with the same result.  Two
 * paths with the same hash would be taken for one, so a thread compares what it finds with the
 * trie's own frames (`path_is`) before it uses it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/arena.h"

/* Some of the walk's return addresses, innermost first, called from the stack `parent`. */
struct walked_path {
    const uint64_t *ret;
    uint32_t count;  /* At least 1. */
    uint32_t parent; /* A node or an enum trie_root. */
    uint64_t hash;   /* Of all of the above, this process, and the generation of its rules. */
};

/* Returns the node of this path; TRIE_NONE if it is not known. */
uint32_t paths_find(const struct walked_path *path);
void paths_keep(const struct walked_path *path, uint32_t node);

/* Returns whether the frames of `node` are those of the path. */
bool path_is(const struct walked_path *path, uint32_t node);
