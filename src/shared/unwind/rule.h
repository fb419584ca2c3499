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

/* kind:3 | frame pointer saved at CFA - 8*n, n:5 (0: unchanged) | offset/8:18, signed |
 * unused:16 | module:22 */
typedef uint64_t unwind_rule;

#define RULE_SAVED_LIMIT  32                 /* words */
#define RULE_OFFSET_LIMIT ((int64_t)1 << 20) /* bytes */
#define RULE_BITS         26                 /* without the module */

static inline unwind_rule rule_make(enum rule_kind kind, int64_t offset, unsigned saved_fp,
                                    uint32_t module)
{
    return (uint64_t)kind | (uint64_t)(saved_fp % RULE_SAVED_LIMIT) << 3 |
           ((uint64_t)(offset / 8) & 0x3ffff) << 8 | (uint64_t)module << 42;
}

static inline enum rule_kind rule_kind_of(unwind_rule rule)
{
    return (enum rule_kind)(rule & 7);
}

static inline uint64_t rule_saved_fp(unwind_rule rule) /* bytes below the CFA, 0: unchanged */
{
    return rule & (RULE_SAVED_LIMIT - 1) << 3;
}

static inline int64_t rule_offset(unwind_rule rule)
{
    return ((int64_t)(rule << 38) >> 46) * 8;
}

static inline uint32_t rule_module(unwind_rule rule)
{
    return (uint32_t)(rule >> 42);
}

/* Packs a row, or says RULE_COMPLEX. */
unwind_rule rule_from_row(const struct unwind_row *row, uint32_t module);
