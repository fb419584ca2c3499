/* rule.h - the common rows of `.eh_frame`, packed into one word, and one step of a walk by them.
 *
 * Two kinds cover nearly all code: the caller's frame begins at rsp + constant or at rbp +
 * constant, the return address lies just below, rbp was saved at a known place or not touched. What
 * does not fit is RULE_COMPLEX and goes through eh_frame_step. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "unwind/eh_frame.h"

enum rule_kind {
    RULE_NONE = 0,   /* no such rule: an empty cache entry */
    RULE_RSP,        /* CFA = rsp + offset */
    RULE_RBP,        /* CFA = rbp + offset */
    RULE_RBP_MEMORY, /* CFA = word at rbp + offset (functions that realign their stack) */
    RULE_SIGNAL,     /* a signal trampoline: the kernel's saved registers lie at rsp */
    RULE_OUTERMOST,  /* nobody called this */
    RULE_COMPLEX,    /* needs the whole row */
    RULE_MISSING     /* code without unwind tables */
};

/* kind:4 | frame pointer saved at CFA - 8*n, n:16 (0: unchanged) | offset/8:22, signed | module:22
 */
typedef uint64_t unwind_rule;

#define RULE_MODULE_BITS 22

static inline unwind_rule rule_make(enum rule_kind kind, int64_t offset, unsigned saved_fp,
                                    uint32_t module)
{
    return (uint64_t)kind | (uint64_t)(saved_fp & 0xffff) << 4 |
           ((uint64_t)(offset / 8) & 0x3fffff) << 20 | (uint64_t)module << 42;
}

static inline enum rule_kind rule_kind_of(unwind_rule rule)
{
    return (enum rule_kind)(rule & 15);
}

static inline uint64_t rule_saved_fp(unwind_rule rule) /* bytes below the CFA, 0: unchanged */
{
    return (rule >> 4 & 0xffff) * 8;
}

static inline int64_t rule_offset(unwind_rule rule)
{
    return ((int64_t)(rule << 22) >> 42) * 8;
}

static inline uint32_t rule_module(unwind_rule rule)
{
    return (uint32_t)(rule >> 42);
}

/* Packs a row, or says RULE_COMPLEX. */
unwind_rule rule_from_row(const struct unwind_row *row, uint32_t module);
