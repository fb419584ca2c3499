/* rules.h - the unwind rule of any code address of this process, compiled when first met.
 *
 * Two shared, lock-free caches.  The near one has what a walk needs in one word: the rule, and
 * what tells its address from others of that place.  The far one has the module as well, in
 * two words that check each other, so a torn read is a miss. */
#pragma once

#include <stdint.h>

#include "tracer/rings/thread.h"
#include "unwind/rule.h"
#include "wire/invariant.h"

#define RULE_CACHE_BITS 15

struct rule_entry {
    _Atomic uint64_t check; /* key ^ rule */
    _Atomic uint64_t rule;
};
extern _Atomic uint64_t near_rules[1 << RULE_CACHE_BITS] __attribute__((visibility("hidden")));
extern struct rule_entry far_rules[1 << RULE_CACHE_BITS] __attribute__((visibility("hidden")));
extern _Atomic uint64_t rule_generation __attribute__((visibility("hidden"))); /* << 48 */

unwind_rule rules_compile(uint64_t pc);
unwind_rule rules_learn_near(uint64_t pc);

/* The whole row, for what does not fit a rule.  0 or -errno. */
int rules_row(uint64_t pc, struct unwind_row *row, uint32_t *module);

/* Some module may be gone: forget what was learned from those that are. */
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
/* In a forked child, once it has its place in the arena: modules that the recorder took from its
 * family before that are to be told of again. */
void rules_forked(void);

/* Forgets all of it, when no thread walks: the next arena has a list of modules of its own. */
void rules_forget(void);

/* Whether a frame is the outermost: its code says so, or it has no tables (the loader's own entry)
 * and there is nothing of the stack left above it. */
static inline bool rules_is_outermost(unwind_rule rule, uint64_t sp, uint64_t stack_high)
{
    enum rule_kind kind = rule_kind_of(rule);
    return kind == RULE_OUTERMOST ||
           (kind == RULE_MISSING && sp <= stack_high && stack_high - sp <= 64);
}

/* An address of 48 bits, turned into another such number one to one: its top bits are the place
 * in the near cache, the rest is in the word found there, above the rule and four bits of the
 * generation. */
#define NEAR_TAG_BITS   (48 - RULE_CACHE_BITS + 1) /* a rule may lie in the place beside its own */
#define NEAR_GENERATION 15ull

static inline uint64_t near_hash(uint64_t pc)
{
    return (pc * 0x9e3779b97f4bull) & 0xffffffffffffull;
}

static inline uint64_t near_word(uint64_t hash)
{
    INVARIANT(hash >> 48 == 0);
    uint64_t generation = atomic_load_explicit(&rule_generation, memory_order_relaxed) >> 48;
    return hash << (64 - NEAR_TAG_BITS) | (generation & NEAR_GENERATION) << RULE_BITS;
}

/* The rule and its module.  `pc` is the instruction to look at: a return address minus one, or
 * where a signal struck. */
static inline unwind_rule rules_find(uint64_t pc)
{
    uint64_t key = pc | atomic_load_explicit(&rule_generation, memory_order_relaxed);
    uint64_t at = near_hash(pc) >> (NEAR_TAG_BITS - 1);
    INVARIANT(at < 1u << RULE_CACHE_BITS);
    for (unsigned i = 0; i < 2; i++) {
        struct rule_entry *entry = &far_rules[at ^ i];
        uint64_t rule = atomic_load_explicit(&entry->rule, memory_order_relaxed);
        if ((atomic_load_explicit(&entry->check, memory_order_relaxed) ^ rule) == key)
            return rule;
    }
    return rules_compile(pc);
}

/* Like rules_find, without the module. */
static inline unwind_rule rules_find_near(uint64_t pc)
{
    uint64_t hash = near_hash(pc), at = hash >> (NEAR_TAG_BITS - 1), expected = near_word(hash);
    INVARIANT(at < 1u << RULE_CACHE_BITS && expected % (1u << RULE_BITS) == 0);
    uint64_t word = atomic_load_explicit(&near_rules[at], memory_order_relaxed);
    if (likely((word ^ expected) >> RULE_BITS == 0))
        return word & ((1ull << RULE_BITS) - 1);
    word = atomic_load_explicit(&near_rules[at ^ 1], memory_order_relaxed);
    if (likely((word ^ expected) >> RULE_BITS == 0))
        return word & ((1ull << RULE_BITS) - 1);
    return rules_learn_near(pc);
}
