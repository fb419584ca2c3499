/* rule.h - packs the common rows of `.eh_frame` into one word.
 *
 * Two kinds cover nearly all code: the caller's frame begins at the stack pointer (sp) or the frame
 * pointer (fp) + constant, the return address is just below, and fp was saved at a known place or
 * not changed.  Any other row is RULE_COMPLEX and needs eh_frame_step. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "unwind/eh_frame.h"

enum rule_kind {
    RULE_NONE = 0,  /* No rule: an empty cache entry. */
    RULE_SP,        /* CFA = sp + offset */
    RULE_FP,        /* CFA = fp + offset */
    RULE_FP_MEMORY, /* CFA = word at fp + offset (functions that realign their stack) */
    RULE_SIGNAL,    /* A signal trampoline: the kernel's saved registers are at sp. */
    RULE_OUTERMOST, /* Has no caller. */
    RULE_COMPLEX,   /* Needs the whole row. */
    RULE_MISSING    /* Code without unwind tables. */
};

/* offset/8, low bits:16 | kind:3 | frame pointer saved at CFA - 8*n, n:5 (0: unchanged) | offset/8,
 * high bits:2, signed | unused:16 | module:22.  Each step of a walk waits for the offset of the
 * step before, so that common rules have the offset in the lowest bits alone. */
typedef uint64_t unwind_rule;

#define RULE_SAVED_LIMIT  32                 /* Words. */
#define RULE_OFFSET_LIMIT ((int64_t)1 << 20) /* Bytes. */
#define RULE_BITS         26                 /* Without the module. */

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

static inline uint64_t rule_saved_fp(unwind_rule rule) /* Bytes below the CFA; 0: unchanged. */
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

/* Packs a row; returns RULE_COMPLEX if it does not fit. */
unwind_rule rule_from_row(const struct unwind_row *row, uint32_t module);
