/* code_move.h - makes room for a jump at the beginning of a function (ARCHITECTURE/code_move.c).
 *
 * The instructions that the jump would cover are rewritten so that they do the same elsewhere.  If
 * they cannot be moved with certainty, this is refused: when a branch, from anywhere in the
 * function, leads into the covered bytes, or when bytes are no instructions.  A call becomes a push
 * of its return address in the original function and a jump, because no unwinder would find rules
 * for an address in our copy.  Works on bytes only; any input is safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define CODE_MOVED_MAX 64
#define CODE_JUMP      5 /* Bytes of a jump with a 32-bit distance. */

struct code_function {
    struct slice code; /* Its bytes, and what follows it up to the next function. */
    size_t size;       /* Of the function alone. */
    uint64_t address;
};

struct code_moved {
    uint8_t bytes[CODE_MOVED_MAX]; /* Valid only at the address for which they were made. */
    size_t size;
    size_t stolen; /* Of the function: whole instructions, at least CODE_JUMP bytes. */
    bool pushes;   /* Pushes a return address, which a shadow stack would not know. */
};

/* Makes the copy for address `to`, including the jump back to the rest of the function.  Returns 0;
 * or -EINVAL, and `*why` says the reason in a few words. */
int code_move(const struct code_function *function, uint64_t to, struct code_moved *moved,
              const char **why);

/* Returns whether a direct branch in `code`, which is at `address`, may lead to an address between
 * `low` and `high`, both excluded.  Also true if the bytes are no instructions. */
bool code_branches_between(struct slice code, uint64_t address, uint64_t low, uint64_t high);
