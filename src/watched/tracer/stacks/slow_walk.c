/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/stacks/slow_walk.h"

#include <stddef.h>

#include "machine/own_registers.h"
#include "machine/registers.h"
#include "machine/signal_frame.h"
#include "tracer/stacks/go_code.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/stacks/rules.h"
#include "tracer/rings/thread.h"
#include "tracer/stacks/slot_memory.h"
#include "tracer/stacks/trie.h"
#include "wire/invariant.h"

#define STEPS_MAX  4000000u
#define INNER_KEPT 64u /* of a stack too deep to keep whole: these and the outermost ones */
#define FRAME_MAX  (64ull << 20)

#define MADE_CODE_MAX 1024u /* frames in a row of code made at run time */

struct slow_state {
    uint64_t stack_low, stack_high; /* of the thread */
    uint64_t *ips;                  /* a ring of FRAMES_KEPT: the outermost ones win */
    uint64_t readable;              /* a page found readable during this walk */
    uint64_t proven;                /* frame pointers below this one lead to known code */
    uint64_t inner[INNER_KEPT];
    uint32_t count;
};

static bool read_word(void *context, uint64_t address, uint64_t *value)
{
    struct slow_state *state = context;
    if (address % 8)
        return false;
    if (address < state->stack_low || address >= state->stack_high) {
        uint64_t page = address & ~4095ull;
        if (page != state->readable && !raw_is_readable(page))
            return false;
        state->readable = page;
    }
    INVARIANT((address >= state->stack_low && address < state->stack_high) ||
              address - state->readable < 4096);
    *value = *(const uint64_t *)address;
    return true;
}

static void collect(struct slow_state *state, uint64_t ip)
{
    if (state->count < INNER_KEPT)
        state->inner[state->count] = ip;
    state->ips[state->count % FRAMES_KEPT] = ip;
    state->count++;
}

static uint32_t push(uint32_t node, uint64_t ip)
{
    return trie_push(node, ip, rule_module(rules_find(ip - 1)));
}

static uint32_t name_stack(struct slow_state *state, uint32_t root)
{
    INVARIANT(root < TRIE_FIRST_NODE); /* a walk ends in one of the named ends */
    uint32_t kept = state->count < FRAMES_KEPT ? state->count : FRAMES_KEPT;
    uint32_t node = state->count > FRAMES_KEPT && root == TRIE_COMPLETE ? TRIE_TOO_DEEP : root;
    for (uint32_t i = 1; i <= kept; i++)
        node = push(node, state->ips[(state->count - i) % FRAMES_KEPT]);
    if (state->count > FRAMES_KEPT) {
        for (uint32_t i = INNER_KEPT; i-- > 0;)
            node = push(node, state->inner[i]);
    }
    return node;
}

/* Where the walk is: the next instruction outward, and the registers there. */
struct slow_position {
    uint64_t ip, sp, fp;
    bool exact; /* ip was interrupted, it is no return address */
};

static bool is_known_code(uint64_t ip)
{
    return rule_module(rules_find(ip - 1)) != MODULE_UNKNOWN;
}

/* Whether a frame pointer stays on the thread's own stack.  Elsewhere a wrong guess may be
 * unmapped while we look. */
static bool is_own_frame(const struct slow_state *state, uint64_t sp, uint64_t fp)
{
    return fp >= sp && fp % 8 == 0 && fp + 16 <= state->stack_high && sp >= state->stack_low;
}

/* Follows frame pointers through code made at run time, until they come to code that is known:
 * only then were they frame pointers.  What is proven once holds for the rest of the way. */
static bool leads_to_known_code(struct slow_state *state, uint64_t fp)
{
    uint64_t at = fp, outer, ip;
    if (fp < state->proven)
        return true;
    for (unsigned steps = 0; steps < MADE_CODE_MAX; steps++) {
        if (!is_own_frame(state, at, at) || !read_word(state, at, &outer) ||
            !read_word(state, at + 8, &ip) || ip == 0)
            return false;
        if (is_known_code(ip)) {
            INVARIANT(at >= state->proven); /* or the beginning had been below it */
            state->proven = at + 1;
            return true;
        }
        if (outer <= at)
            return false;
        at = outer;
    }
    return false;
}

/* Code without tables: a plausible frame pointer is worth a try.  Go keeps its frame pointers in
 * order, also where a call into C left the goroutine's stack for the thread's; that stack stays
 * while the call lasts. */
static bool step_by_frame_pointer(struct slow_state *state, struct slow_position *at)
{
    uint64_t ip, fp;
    if (at->fp == 0 || !(is_own_frame(state, at->sp, at->fp) || go_code_at(at->ip - 1)) ||
        !read_word(state, at->fp, &fp) || !read_word(state, at->fp + 8, &ip) || ip == 0 ||
        !(is_known_code(ip) || leads_to_known_code(state, fp)))
        return false;
    *at = (struct slow_position){ip, at->fp + 16, fp, false};
    return true;
}

/* Where frame pointers lead no further: a goroutine's begin with 0. */
static uint32_t end_of_frame_pointers(const struct slow_position *at)
{
    return at->fp == 0 && go_code_at(at->ip - 1) ? TRIE_COMPLETE : TRIE_NO_RULE;
}

static bool step_signal(struct slow_state *state, struct slow_position *at)
{
    uint64_t words = at->sp + SIGNAL_WORDS_AT;
    if (!read_word(state, words + 8 * SIGNAL_IP_WORD, &at->ip) ||
        !read_word(state, words + 8 * SIGNAL_FP_WORD, &at->fp) ||
        !read_word(state, words + 8 * SIGNAL_SP_WORD, &at->sp))
        return false;
    at->exact = true;
    return true;
}

static bool step_compact(struct slow_state *state, struct slow_position *at, unwind_rule rule)
{
    uint64_t cfa = at->sp + (uint64_t)rule_offset(rule), fp = at->fp, ip;
    if (rule_kind_of(rule) != RULE_SP)
        cfa = at->fp + (uint64_t)rule_offset(rule);
    if (rule_kind_of(rule) == RULE_FP_MEMORY &&
        (!read_word(state, cfa, &cfa) || !read_word(state, at->fp, &fp)))
        return false;
    if (cfa <= at->sp || cfa - at->sp > FRAME_MAX || !read_word(state, cfa - 8, &ip) ||
        (rule_saved_fp(rule) && !read_word(state, cfa - rule_saved_fp(rule), &fp)))
        return false;
    INVARIANT(cfa > at->sp && cfa - at->sp <= FRAME_MAX); /* so a walk goes outward */
    *at = (struct slow_position){ip, cfa, fp, false};
    return true;
}

/* Walks by compact rules.  The root it ended in, or TRIE_NONE when every register is needed. */
static uint32_t walk_by_rules(struct slow_state *state, struct slow_position at)
{
    for (uint32_t steps = 0; steps < STEPS_MAX; steps++) {
        if (at.ip == 0)
            return TRIE_COMPLETE;
        collect(state, at.ip + at.exact);
        unwind_rule rule = rules_find(at.ip - !at.exact);
        bool stepped;
        if (rules_is_outermost(rule, at.sp, state->stack_high))
            return TRIE_COMPLETE;
        switch (rule_kind_of(rule)) {
        case RULE_COMPLEX:
            return TRIE_NONE;
        case RULE_SIGNAL:
            stepped = step_signal(state, &at);
            break;
        case RULE_MISSING:
        case RULE_NONE:
            if (!step_by_frame_pointer(state, &at))
                return end_of_frame_pointers(&at);
            stepped = true;
            break;
        default:
            stepped = step_compact(state, &at, rule);
        }
        if (!stepped)
            return TRIE_BAD_FRAME;
    }
    return TRIE_BAD_FRAME;
}

/* One step with all registers.  The root where the walk ends, or TRIE_NONE to go on. */
static uint32_t step_full(struct slow_state *state, uint64_t registers[REG_COUNT], bool *exact)
{
    struct unwind_row row;
    uint32_t module;
    bool outermost;
    uint64_t sp = registers[REG_SP];

    if (rules_row(registers[REG_IP] - !*exact, &row, &module) < 0) {
        struct slow_position at = {registers[REG_IP], sp, registers[REG_FP], *exact};
        if (!step_by_frame_pointer(state, &at))
            return end_of_frame_pointers(&at);
        registers[REG_IP] = at.ip;
        registers[REG_SP] = at.sp;
        registers[REG_FP] = at.fp;
        *exact = false;
        return TRIE_NONE;
    }
    if (eh_frame_step(&row, registers, read_word, state, &outermost) < 0)
        return TRIE_BAD_FRAME;
    if (outermost || registers[REG_IP] == 0)
        return TRIE_COMPLETE;
    if (!row.signal_frame && (registers[REG_SP] <= sp || registers[REG_SP] - sp > FRAME_MAX))
        return TRIE_BAD_FRAME;
    *exact = row.signal_frame;
    return TRIE_NONE;
}

static __attribute__((noinline)) uint32_t walk_with_registers(struct slow_state *state,
                                                              uint64_t hook_cfa)
{
    uint64_t registers[REG_COUNT] = {0};
    uint32_t root = TRIE_NONE;
    bool exact = true, started = false;

    own_registers(registers);
    for (uint32_t steps = 0; steps < STEPS_MAX && root == TRIE_NONE; steps++) {
        if (started |= registers[REG_SP] == hook_cfa)
            collect(state, registers[REG_IP] + exact);
        root = step_full(state, registers, &exact);
    }
    return root == TRIE_NONE ? TRIE_BAD_FRAME : root;
}

uint32_t slow_walk(struct arena_slot *slot, void *hook_frame)
{
    uint64_t frame = (uint64_t)hook_frame;
    struct slow_state state = {.stack_low = tracer_self.limits.stack_low,
                               .stack_high = tracer_self.limits.stack_high,
                               .ips = arena_slot_walked(slot).side->ret,
                               .readable = frame & ~4095ull};
    struct slow_position at = {((uint64_t *)frame)[1], frame + 16, ((uint64_t *)frame)[0], false};

    uint32_t root = walk_by_rules(&state, at);
    if (root == TRIE_NONE) {
        state.count = 0;
        root = walk_with_registers(&state, frame + 16);
    }
    return name_stack(&state, root);
}
