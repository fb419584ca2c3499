/* pattern_program.h - internal to patterns: an expression as a program of steps for a
 * nondeterministic automaton, which can be in several steps at once.
 *
 * Jump targets are relative, so a range of steps can be copied and moved unchanged. */
#pragma once

#include <stdint.h>

#include "base/pattern/pattern.h"
#include "base/vec.h"

#define PROGRAM_STEPS_MAX 32768 /* Includes the copies that repetitions are expanded to. */

enum step_kind {
    STEP_BYTE,   /* Consumes `byte`, then the next step. */
    STEP_SET,    /* Consumes any byte of sets[set], then the next step. */
    STEP_SPLIT,  /* Continues at both the next step and `to`. */
    STEP_JUMP,   /* Continues at `to`. */
    STEP_ASSERT, /* Continues at the next step if the assertion in `byte` holds here. */
    STEP_FOUND,  /* The expression matches. */
};

enum assertion {
    AT_BEGIN,
    AT_END,
    AT_WORD_EDGE,
    NOT_AT_WORD_EDGE,
    AT_WORD_BEGIN,
    AT_WORD_END,
};

struct pattern_step {
    uint8_t kind;
    uint8_t byte; /* Or enum assertion. */
    uint16_t set;
    int32_t to; /* Target, relative to this step. */
};

struct byte_set {
    uint64_t bits[4];
};

struct pattern_program {
    VEC(struct pattern_step) steps;
    VEC(struct byte_set) sets;
    bool asks_for_words; /* Some assertion is about the edges of words. */
};

static inline void byte_set_add(struct byte_set *set, unsigned byte)
{
    set->bits[byte / 64] |= UINT64_C(1) << byte % 64;
}

static inline bool byte_set_has(const struct byte_set *set, unsigned byte)
{
    return set->bits[byte / 64] >> byte % 64 & 1;
}

/* Returns whether the byte is part of a word: a letter, a digit or _. */
static inline bool is_word_byte(unsigned byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

void pattern_program_fini(struct pattern_program *program);

/* Inserts a step before the step at `at`, or at the end if `at` is the number of steps.  Returns 0,
 * -E2BIG or -ENOMEM. */
int program_insert(struct pattern_program *program, uint32_t at, struct pattern_step step);

struct repetition {
    uint32_t least, most; /* `most` may be REPEAT_NO_END. */
};
#define REPEAT_NO_END UINT32_MAX
/* Repeats the steps from `begin` to the end `times` times.  Returns 0, -E2BIG or -ENOMEM. */
int program_repeat(struct pattern_program *program, uint32_t begin, struct repetition times);

/* Parses a bracket expression whose [ is at text[*at - 1] into `set`, and moves *at behind its ].
 * Returns NULL, or what is wrong as a part of a sentence. */
const char *bracket_parse(struct slice text, size_t *at, struct byte_set *set);
/* Sets `set` to the bytes that an escape such as \w stands for.  Returns false if the letter stands
 * for no set. */
bool escape_set(char letter, struct byte_set *set);

/* Parses an expression into `program`.  Returns NULL, or what is wrong and what to do as a part of
 * a sentence; "" if out of memory.  Sets *is_size if the expression is correct but too large.  Call
 * pattern_program_fini in any case. */
const char *pattern_program_parse(struct pattern_program *program, struct slice text,
                                  enum pattern_place place, bool *is_size);
