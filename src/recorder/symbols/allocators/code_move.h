/* code_move.h - makes room for a jump at the beginning of a function
 * (ARCHITECTURE/code_move.c).
 *
 * The instructions that the jump would cover are rewritten so that they do the same elsewhere.
 * What cannot be moved with certainty is refused: a branch into the covered bytes, from anywhere
 * in the function, bytes that are no instructions.  A call becomes a jump that has pushed the
 * return address before, the one in the function: in our copy no unwinder would find rules for
 * it. Pure: bytes in, bytes out; any input is safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define CODE_MOVED_MAX 64
#define CODE_JUMP      5 /* bytes of a jump with 32-bit distance */

struct code_function {
    struct slice code; /* its bytes, and what follows it up to the next function */
    size_t size;       /* of the function alone */
    uint64_t address;
};

struct code_moved {
    uint8_t bytes[CODE_MOVED_MAX]; /* good only at the address they were made for */
    size_t size;
    size_t stolen; /* of the function: whole instructions, at least CODE_JUMP bytes */
    bool pushes;   /* a return address, which a shadow stack would not know */
};

/* Makes the copy for address `to`, the jump back to the rest of the function included.  0; or
 * -EINVAL, and `*why` says in a few words what stands in the way. */
int code_move(const struct code_function *function, uint64_t to, struct code_moved *moved,
              const char **why);

/* Whether a direct branch in `code`, which is at `address`, may lead to one of the addresses
 * between `low` and `high`, both excluded.  Also true when the bytes are no instructions. */
bool code_branches_between(struct slice code, uint64_t address, uint64_t low, uint64_t high);
