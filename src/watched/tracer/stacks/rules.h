/* rules.h - the unwind rule of any code address of this process, compiled when first needed.
 *
 * There are two shared, lock-free caches.  The near cache has what a walk needs in one word: the
 * rule, and what tells its return address from others of that place.  The far cache has the module
 * as well, in two words that check each other, so a torn read is a miss. */
#pragma once

#include <stdint.h>

#include "tracer/rings/thread.h"
#include "unwind/rule.h"
#include "wire/invariant.h"

#define RULE_CACHE_BITS 15
#define NEAR_BITS       16

struct rule_entry {
    _Atomic uint64_t check; /* key ^ rule */
    _Atomic uint64_t rule;
};
extern _Atomic uint64_t near_rules[1 << NEAR_BITS] __attribute__((visibility("hidden")));
extern struct rule_entry far_rules[1 << RULE_CACHE_BITS] __attribute__((visibility("hidden")));
extern _Atomic uint64_t rule_generation __attribute__((visibility("hidden"))); /* << 48 */

unwind_rule rules_compile(uint64_t pc);
unwind_rule rules_learn_near(uint64_t ret);

/* Finds the whole row, for what does not fit a rule.  Returns 0 or -errno. */
int rules_row(uint64_t pc, struct unwind_row *row, uint32_t *module);

/* A module may have been unloaded: forgets what was learned from it. */
void rules_modules_changed(void);

/* Where the loader's code is. */
struct rules_loader {
    uint64_t start, size;
};
extern struct rules_loader rules_loader __attribute__((visibility("hidden")));
void rules_start_up(void);
static inline bool rules_is_loader(const void *code)
{
    return (uint64_t)code - rules_loader.start < rules_loader.size;
}
/* To be called in a forked child, once it has its entry in the arena: modules that the recorder
 * took from its family before that are to be announced again. */
void rules_forked(void);

/* Forgets everything; no thread may be walking.  The next arena has a list of modules of its
 * own. */
void rules_forget(void);

/* Returns whether a frame is the outermost: its code says so, or it has no unwind tables (the
 * loader's own entry) and nearly nothing of the stack is left above it. */
static inline bool rules_is_outermost(unwind_rule rule, uint64_t sp, uint64_t stack_high)
{
    enum rule_kind kind = rule_kind_of(rule);
    return kind == RULE_OUTERMOST ||
           (kind == RULE_MISSING && sp <= stack_high && stack_high - sp <= 64);
}

/* The near cache.  The low bits of a return address are the place of its rule; an address that
 * shares them with another may also be in the other place.  A word is the exclusive or of the rule,
 * the rest of the address, and five bits of the generation: after another exclusive or with the
 * right address and generation, the rule alone is left.  An empty word is 0, which would belong to
 * an address outside all programs. */
#define NEAR_OTHER      (1u << (NEAR_BITS - 1))
#define NEAR_GENERATION 31ull
#define NEAR_ADDRESS_AT 16u
#define NEAR_NOWHERE    (0x152cb2e1dull << (NEAR_ADDRESS_AT + NEAR_BITS - 1))

_Static_assert(RULE_BITS + 5 == NEAR_ADDRESS_AT + NEAR_BITS - 1,
               "what the place does not say of the address is above rule and generation");
_Static_assert(NEAR_ADDRESS_AT >= RULE_LOW_BITS, "the common offset is not covered");

static always_inline uint32_t near_place(uint64_t ret)
{
    return (uint32_t)ret & ((1u << NEAR_BITS) - 1);
}

/* What all words of this moment are combined with. */
static always_inline uint64_t near_cover(void)
{
    uint64_t const generation = atomic_load_explicit(&rule_generation, memory_order_relaxed) >> 48;
    return NEAR_NOWHERE | (generation & NEAR_GENERATION) << RULE_BITS;
}

/* Returns the rule of `ret` if the word has it, else a number of more than RULE_BITS bits. */
static always_inline uint64_t near_uncover(uint64_t word, uint64_t cover, uint64_t ret)
{
    return word ^ cover ^ ret << NEAR_ADDRESS_AT;
}

/* Returns the size of the frame, in words, if the rule is a common one; may be used before that is
 * known. */
static always_inline uint64_t near_common_words(uint64_t word)
{
    return word & ((1u << RULE_LOW_BITS) - 1);
}

static inline uint32_t far_place(uint64_t pc)
{
    return (uint32_t)(pc * 0x9e3779b97f4a7c15ull >> (64 - RULE_CACHE_BITS));
}

/* Returns the rule and its module.  `pc` is the instruction to look at: a return address minus one,
 * or where a signal interrupted. */
static inline unwind_rule rules_find(uint64_t pc)
{
    uint64_t key = pc | atomic_load_explicit(&rule_generation, memory_order_relaxed);
    uint32_t const at = far_place(pc);
    INVARIANT(at < 1u << RULE_CACHE_BITS);
    for (unsigned i = 0; i < 2; i++) {
        struct rule_entry *entry = &far_rules[at ^ i];
        uint64_t rule = atomic_load_explicit(&entry->rule, memory_order_relaxed);
        if ((atomic_load_explicit(&entry->check, memory_order_relaxed) ^ rule) == key)
            return rule;
    }
    return rules_compile(pc);
}

/* Returns the rule of the code that `ret` returns to, without the module. */
static inline unwind_rule rules_find_near(uint64_t ret)
{
    uint32_t const at = near_place(ret);
    uint64_t const cover = near_cover();
    uint64_t rule =
        near_uncover(atomic_load_explicit(&near_rules[at], memory_order_relaxed), cover, ret);
    if (likely(rule >> RULE_BITS == 0))
        return rule;
    rule = near_uncover(atomic_load_explicit(&near_rules[at ^ NEAR_OTHER], memory_order_relaxed),
                        cover, ret);
    if (likely(rule >> RULE_BITS == 0))
        return rule;
    return rules_learn_near(ret);
}
