/* rules.h - the unwind rule of any code address of this process, compiled when first met.
 *
 * A shared, lock-free cache: an entry is two words that check each other, so a torn read is a miss.
 */
#pragma once

#include <stdint.h>

#include "tracer/thread.h"
#include "unwind/rule.h"

#define RULE_CACHE_BITS 15

struct rule_entry {
    _Atomic uint64_t check; /* key ^ rule */
    _Atomic uint64_t rule;
};
extern struct rule_entry rule_cache[1 << RULE_CACHE_BITS] __attribute__((visibility("hidden")));
extern _Atomic uint64_t rule_generation __attribute__((visibility("hidden"))); /* << 48 */

unwind_rule rules_compile(uint64_t pc);

/* The whole row, for what does not fit a rule.  0 or -errno. */
int rules_row(uint64_t pc, struct unwind_row *row, uint32_t *module);

/* Some module may be gone: forget what was learned from those that are. */
void rules_module_closed(void);
/* In a forked child, once it has its place in the arena: modules that the recorder took from its family before
 * that are to be told of again. */
void rules_forked(void);

/* Whether a frame is the outermost: its code says so, or it has no tables (the loader's own entry)
 * and there is nothing of the stack left above it. */
static inline bool rules_is_outermost(unwind_rule rule, uint64_t sp, uint64_t stack_high)
{
    enum rule_kind kind = rule_kind_of(rule);
    return kind == RULE_OUTERMOST ||
           (kind == RULE_MISSING && sp <= stack_high && stack_high - sp <= 64);
}

/* `pc` is the instruction to look at: a return address minus one, or where a signal struck. */
static inline unwind_rule rules_find(uint64_t pc)
{
    uint64_t key = pc | atomic_load_explicit(&rule_generation, memory_order_relaxed);
    uint64_t at = (pc * 0x9e3779b97f4a7c15ull) >> (64 - RULE_CACHE_BITS);
    struct rule_entry *entry = &rule_cache[at];
    uint64_t rule = atomic_load_explicit(&entry->rule, memory_order_relaxed);
    if (likely((atomic_load_explicit(&entry->check, memory_order_relaxed) ^ rule) == key))
        return rule;
    entry = &rule_cache[at ^ 1];
    rule = atomic_load_explicit(&entry->rule, memory_order_relaxed);
    if ((atomic_load_explicit(&entry->check, memory_order_relaxed) ^ rule) == key)
        return rule;
    return rules_compile(pc);
}
