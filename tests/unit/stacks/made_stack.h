/* made_stack.h - stacks made by hand, of functions of the test itself.
 *
 * At the first instruction of a function the return address lies at the stack pointer; so a
 * stack of return addresses that lead just behind first instructions has frames of one word
 * each. */
#pragma once

#include <string.h>

#include "stacks/stack_walk.h"

#define MADE_WORDS 8192u
#define MADE_START 0x7ffe00001000ull

struct made_stack {
    uint64_t registers[REG_COUNT];
    uint64_t words[MADE_WORDS];
    uint32_t count;
};

enum { MADE_RBX = 3, MADE_RBP = 6, MADE_RSP = 7, MADE_R12 = 12, MADE_RIP = 16 };

static inline void made_begin(struct made_stack *made, const void *innermost)
{
    memset(made, 0, sizeof(*made));
    made->registers[MADE_RSP] = MADE_START;
    made->registers[MADE_RIP] = (uint64_t)(uintptr_t)innermost;
}

static inline void made_push(struct made_stack *made, uint64_t word)
{
    made->words[made->count++] = word;
}

/* A return address whose frame is looked up at the first instruction of `function`. */
static inline uint64_t made_return(const void *function)
{
    return (uint64_t)(uintptr_t)function + 1;
}

static inline struct stack_copy made_copy(const struct made_stack *made)
{
    return (struct stack_copy){made->registers, MADE_START, (const uint8_t *)made->words,
                               made->count * sizeof(uint64_t)};
}
