/* rule.h - the common rows of `.eh_frame`, packed into one word, and one step of a walk by them.
 *
 * Two kinds cover nearly all code: the caller's frame begins at the stack pointer (sp) or the
 * frame pointer (fp) + constant, the return address lies just below, fp was saved at a known place
 * or not touched. What does not fit is RULE_COMPLEX and goes through eh_frame_step. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "unwind/eh_frame.h"

enum rule_kind {
    RULE_NONE = 0,  /* no such rule: an empty cache entry */
    RULE_SP,        /* CFA = sp + offset */
    RULE_FP,        /* CFA = fp + offset */
    RULE_FP_MEMORY, /* CFA = word at fp + offset (functions that realign their stack) */
    RULE_SIGNAL,    /* a signal trampoline: the kernel's saved registers lie at sp */
    RULE_OUTERMOST, /* has no caller */
    RULE_COMPLEX,   /* needs the whole row */
    RULE_MISSING    /* code without unwind tables */
};

/* offset/8, low bits:16 | kind:3 | frame pointer saved at CFA - 8*n, n:5 (0: unchanged) |
 * offset/8, high bits:2, signed | unused:16 | module:22.  A walk that takes its steps one after the
 * other waits for the offset, so that is nothing but the lowest bits of common rules. */
typedef uint64_t unwind_rule;

#define RULE_SAVED_LIMIT  32                 /* words */
#define RULE_OFFSET_LIMIT ((int64_t)1 << 20) /* bytes */
#define RULE_BITS         26                 /* without the module */

#define RULE_LOW_BITS   16
#define RULE_KIND_SHIFT RULE_LOW_BITS
#define RULE_FP_SHIFT   (RULE_KIND_SHIFT + 3)
#define RULE_HIGH_SHIFT (RULE_FP_SHIFT + 5)

static inline unwind_rule rule_make(enum rule_kind kind, int64_t offset, unsigned saved_fp,
                                    uint32_t module)
{
    uint64_t const words = (uint64_t)(offset / 8);
    return (words & ((1u << RULE_LOW_BITS) - 1)) | (uint64_t)kind << RULE_KIND_SHIFT |
           (uint64_t)(saved_fp % RULE_SAVED_LIMIT) << RULE_FP_SHIFT |
           (words >> RULE_LOW_BITS & 3) << RULE_HIGH_SHIFT | (uint64_t)module << 42;
}

static inline enum rule_kind rule_kind_of(unwind_rule rule)
{
    return (enum rule_kind)(rule >> RULE_KIND_SHIFT & 7);
}

static inline uint64_t rule_saved_fp(unwind_rule rule) /* bytes below the CFA, 0: unchanged */
{
    return rule >> (RULE_FP_SHIFT - 3) & (RULE_SAVED_LIMIT - 1) << 3;
}

static inline int64_t rule_offset(unwind_rule rule)
{
    int64_t const high = (int64_t)(rule << (64 - RULE_BITS)) >> 62;
    return (high * (1 << RULE_LOW_BITS) + (int64_t)(rule & ((1u << RULE_LOW_BITS) - 1))) * 8;
}

static inline uint32_t rule_module(unwind_rule rule)
{
    return (uint32_t)(rule >> 42);
}

/* Packs a row, or says RULE_COMPLEX. */
unwind_rule rule_from_row(const struct unwind_row *row, uint32_t module);
