/* copy_pieces.h - puts stacks together that the agent copied in pieces.
 *
 * The outer pieces of a stack come before the innermost one, one after the other, with records of other processors in
 * between.  Not thread-safe. */
#pragma once

#include "base/vec.h"
#include "wire/agent.h"

/* The outer pieces of one processor. */
struct copy_lane {
    uint32_t number; /* of the copy that they are of */
    uint64_t start;  /* address of the first byte */
    VEC(uint8_t) bytes;
};

struct copy_pieces { /* all zero to begin */
    VEC(struct copy_lane) lanes;
    VEC(uint64_t) whole; /* room for a stack that was put together */
};

/* Keeps a piece.  One that does not follow the last begins anew. */
void copy_pieces_take(struct copy_pieces *pieces, const struct agent_copy *piece);
/* The copy with the pieces that are its, valid until the next call; the copy itself when there are none, or no memory. */
const struct agent_copy *copy_pieces_join(struct copy_pieces *pieces,
                                          const struct agent_copy *copy);
void copy_pieces_fini(struct copy_pieces *pieces);
