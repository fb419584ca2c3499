/* copy_pieces.h - joins stacks that the agent copied in pieces.
 *
 * The outer pieces of a stack come before the innermost piece, one after the other, with records of
 * other processors in between.  Not thread-safe. */
#pragma once

#include "base/vec.h"
#include "wire/agent.h"

/* The outer pieces of the copy that one processor is making. */
struct copy_lane {
    uint32_t number; /* Number of the copy that the pieces belong to. */
    uint64_t start;  /* Address of the first byte. */
    VEC(uint8_t) bytes;
};

/* All zero to begin. */
struct copy_pieces {
    VEC(struct copy_lane) lanes;
    VEC(uint64_t) whole; /* Buffer for a joined stack. */
};

/* Stores a piece.  A piece that does not follow the previous piece begins a new copy.  Out of
 * memory, the piece is dropped. */
void copy_pieces_add(struct copy_pieces *pieces, const struct agent_copy *piece);
/* Joins `copy`, the innermost piece, with its outer pieces.  The result is valid until the next
 * call.  Returns `copy` itself if there are no outer pieces, or no memory. */
const struct agent_copy *copy_pieces_join(struct copy_pieces *pieces,
                                          const struct agent_copy *copy);
void copy_pieces_fini(struct copy_pieces *pieces);
