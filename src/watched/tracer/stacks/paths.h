/* paths.h - the names of whole paths of calls, for all threads of this process: what its threads
 * walked before is found by one hash instead of frame by frame.
 *
 * A cache: what it has forgotten is named again by the trie, with the same result.  Two paths with
 * one hash would be one here, so what is found is compared with the trie's own frames before a
 * thread believes it (`path_is`). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/arena.h"

/* Some of the walk's return addresses, innermost first, on top of the stack `parent`. */
struct walked_path {
    const uint64_t *ret;
    uint32_t count;  /* at least 1 */
    uint32_t parent; /* a node or an enum trie_root */
    uint64_t hash;   /* of all of the above, this process, and the generation of its rules */
};

/* The node of this path, TRIE_NONE when it is not known. */
uint32_t paths_find(const struct walked_path *path);
void paths_keep(const struct walked_path *path, uint32_t node);

/* Whether the frames of `node` are those of the path. */
bool path_is(const struct walked_path *path, uint32_t node);
