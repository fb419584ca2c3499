/* walk_registers.h - the registers of a frame while a stack is walked: each is known by where it
 * was saved, and read only when it is used, so that a walk depends on nothing that it did not
 * need. */
#pragma once

#include "stacks/stack_walk.h"
#include "unwind/eh_frame.h"

enum register_state {
    REGISTER_INITIAL, /* Never saved: `value` is the copy's own register `number`. */
    REGISTER_SAVED,   /* `value` is the address of the word that has it. */
    REGISTER_KNOWN,   /* `value`, which depends only on what was used already. */
    REGISTER_LOST     /* A packed rule does not say. */
};

struct walk_register {
    uint64_t value;
    uint8_t state, number;
};

#define WALK_LEFT_BEHIND 256u /* Bytes below the stack pointer that may be saved registers. */

struct walk_state {
    const struct stack_copy *copy;
    struct stack_walk *walk;
    struct walk_register registers[REG_COUNT];
    uint64_t sp;        /* Of the frame. */
    uint64_t outermost; /* Highest address of the words on which it depends. */
    bool out_above;     /* A word above the copy was needed. */
    bool out_below;     /* A word below the copy was needed. */
    bool lost;          /* A register was needed that the packed rules had lost. */
};

void walk_state_init(struct walk_state *state, const struct stack_copy *copy,
                     struct stack_walk *walk);

/* Reads a word of the stack, and notes that the walk depends on it.  Returns false if the word was
 * not copied. */
bool walk_word(struct walk_state *state, uint64_t address, uint64_t *value);

/* Reads a register, and notes that the walk depends on it.  Returns false if the value is
 * unknown. */
bool walk_use(struct walk_state *state, unsigned number, uint64_t *value);

/* Returns the caller's register, which the unwind rules say is saved at `address`.  If that is
 * below the stack pointer, the function has restored the register already (compilers do not
 * describe that at the end of a function), and the register still has the value. */
static inline struct walk_register walk_saved(const struct walk_state *state, unsigned number,
                                              uint64_t address)
{
    if (address < state->sp && state->sp - address <= WALK_LEFT_BEHIND)
        return state->registers[number];
    return (struct walk_register){.value = address, .state = REGISTER_SAVED};
}

/* Walks one frame outward by a row, like eh_frame_step.  On success `sp` and REG_SP are the
 * caller's; *outermost becomes true if there is no caller.  Returns 0 or -EINVAL. */
int walk_step_row(struct walk_state *state, const struct unwind_row *row, bool *outermost);
