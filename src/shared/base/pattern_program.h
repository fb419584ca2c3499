/* pattern_program.h - inside the patterns: an expression as steps for a machine that is in several of them at once.
 *
 * Steps lead to the next one, or as far on (or back) as they say: a stretch of them may be copied and moved as it is. */
#pragma once

#include <stdint.h>

#include "base/pattern.h"
#include "base/vec.h"

#define PROGRAM_STEPS_MAX 32768 /* what repetitions are written out to */

enum step_kind {
    STEP_BYTE,   /* takes `byte`, goes on */
    STEP_SET,    /* takes any byte of sets[set], goes on */
    STEP_SPLIT,  /* goes on, and to `to` */
    STEP_JUMP,   /* goes to `to` */
    STEP_ASSERT, /* goes on if `assertion` holds here */
    STEP_FOUND,
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
    uint8_t byte; /* or assertion */
    uint16_t set;
    int32_t to; /* from here */
};

struct byte_set {
    uint64_t bits[4];
};

struct pattern_program {
    VEC(struct pattern_step) steps;
    VEC(struct byte_set) sets;
    bool asks_for_words; /* some assertion is about words */
};

static inline void byte_set_add(struct byte_set *set, unsigned byte)
{
    set->bits[byte / 64] |= UINT64_C(1) << byte % 64;
}

static inline bool byte_set_has(const struct byte_set *set, unsigned byte)
{
    return set->bits[byte / 64] >> byte % 64 & 1;
}

/* Of names: letters, digits and _. */
static inline bool is_word_byte(unsigned byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

void pattern_program_fini(struct pattern_program *program);

/* Puts a step in front of the one at `at`, or at the end.  0, -E2BIG or -ENOMEM, as the next. */
int program_insert(struct pattern_program *program, uint32_t at, struct pattern_step step);

/* Makes all from `begin` on come so many times. */
struct repetition {
    uint32_t least, most; /* most: also REPEAT_NO_END */
};
#define REPEAT_NO_END UINT32_MAX
int program_repeat(struct pattern_program *program, uint32_t begin, struct repetition times);

/* What stands between [ and ], the first of which is at text[*at - 1].  0, or what is wrong with it. */
const char *bracket_parse(struct slice text, size_t *at, struct byte_set *set);
/* \w and its like: false when the letter means no set. */
bool escape_set(char letter, struct byte_set *set);

/* NULL, or what is wrong and what to do, as a piece of a sentence; "" for a lack of memory.  `*is_size`: the expression is right but too large.
 * Call pattern_program_fini in any case. */
const char *pattern_program_parse(struct pattern_program *program, struct slice text,
                                  enum pattern_place place, bool *is_size);
