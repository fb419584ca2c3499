/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/stack_walk.h"

#include <string.h>

#include "machine/signal_frame.h"
#include "stacks/code_shape.h"
#include "stacks/code_tables.h"
#include "stacks/walk_registers.h"

#define SIGNALS_MAX 64u /* frames that may lead back */
#define OUTER_KEPT  (STACK_FRAMES_MAX - STACK_INNER_KEPT)
#define GO_ON       STACK_STOP_KINDS

struct stack_walker {
    struct process_code *code;
    struct walk_state state;
    uint32_t count;    /* frames so far */
    uint64_t ip;       /* in the newest */
    bool exact;        /* where the frame is is no return address */
    bool with_all;     /* every register is followed, not only sp and fp */
    bool others_known; /* those other than these two */
};

const char *stack_stop_name(enum stack_stop stop)
{
    static const char *const names[STACK_STOP_KINDS] = {
        [STACK_STOP_OUTERMOST] = "outermost",
        [STACK_STOP_ZERO] = "zero",
        [STACK_STOP_ENTRY] = "entry",
        [STACK_STOP_SWITCHED] = "switched",
        [STACK_STOP_NO_CODE] = "no_code",
        [STACK_STOP_NO_TABLES] = "no_tables",
        [STACK_STOP_NO_ROW] = "no_row",
        [STACK_STOP_MADE_CODE] = "made_code",
        [STACK_STOP_BAD_ROW] = "bad_row",
        [STACK_STOP_COPY_ENDS] = "copy_ends",
        [STACK_STOP_OTHER_STACK] = "other_stack",
        [STACK_STOP_ASTRAY] = "astray",
    };
    return names[stop];
}

static void push_frame(struct stack_walker *walker, uint64_t address)
{
    uint32_t at = walker->count++;
    if (at >= STACK_FRAMES_MAX)
        at = STACK_INNER_KEPT + (at - STACK_INNER_KEPT) % OUTER_KEPT;
    walker->state.walk->frames[at] = address;
}

/* Nobody called the code that returns from a signal: it is looked up where it begins, not
 * before. */
static void correct_signal_frame(struct stack_walker *walker)
{
    if (!walker->exact) {
        walker->count--;
        push_frame(walker, walker->ip);
    }
}

static void reverse(uint64_t *values, size_t count)
{
    for (size_t low = 0; low + 1 < count; low++, count--) {
        uint64_t const value = values[low];
        values[low] = values[count - 1];
        values[count - 1] = value;
    }
}

/* The outermost frames lie in a ring: in order again by three reversals. */
static void finish_frames(struct stack_walker *walker)
{
    struct stack_walk *walk = walker->state.walk;
    walk->frame_count = walker->count;
    if (walker->count <= STACK_FRAMES_MAX)
        return;
    walk->frame_count = STACK_FRAMES_MAX;
    walk->left_out = walker->count - STACK_FRAMES_MAX;
    size_t const first = (walker->count - STACK_INNER_KEPT) % OUTER_KEPT;
    reverse(walk->frames + STACK_INNER_KEPT, first);
    reverse(walk->frames + STACK_INNER_KEPT + first, OUTER_KEPT - first);
    reverse(walk->frames + STACK_INNER_KEPT, OUTER_KEPT);
}

/* Why a step failed. */
static enum stack_stop failure(const struct walk_state *state)
{
    if (state->out_below)
        return STACK_STOP_OTHER_STACK;
    return state->out_above ? STACK_STOP_COPY_ENDS : STACK_STOP_ASTRAY;
}

/* The walk goes on in the caller, by what is known of sp and fp alone. */
static void enter_caller(struct stack_walker *walker, uint64_t ip, uint64_t sp)
{
    struct walk_state *state = &walker->state;
    if (walker->others_known) {
        for (unsigned i = 0; i < REG_COUNT; i++) {
            if (i != REG_FP)
                state->registers[i].state = REGISTER_LOST;
        }
        walker->others_known = false;
    }
    state->registers[REG_IP] = (struct walk_register){.value = ip, .state = REGISTER_KNOWN};
    state->registers[REG_SP] = (struct walk_register){.value = sp, .state = REGISTER_KNOWN};
    state->sp = sp;
    walker->exact = false;
}

static enum stack_stop leave_by_rule(struct stack_walker *walker, unwind_rule rule)
{
    struct walk_state *state = &walker->state;
    uint64_t base = state->sp, cfa, ip;
    if (rule_kind_of(rule) != RULE_SP && !walk_use(state, REG_FP, &base))
        return failure(state);
    cfa = base + (uint64_t)rule_offset(rule);
    if (rule_kind_of(rule) == RULE_FP_MEMORY && !walk_word(state, cfa, &cfa))
        return failure(state);
    if (cfa <= state->sp)
        return STACK_STOP_ASTRAY;
    if (!walk_word(state, cfa - 8, &ip))
        return failure(state);
    if (rule_kind_of(rule) == RULE_FP_MEMORY)
        state->registers[REG_FP] = (struct walk_register){.value = base, .state = REGISTER_SAVED};
    else if (rule_saved_fp(rule))
        state->registers[REG_FP] = walk_saved(state, REG_FP, cfa - rule_saved_fp(rule));
    enter_caller(walker, ip, cfa);
    return GO_ON;
}

static enum stack_stop leave_by_row(struct stack_walker *walker, uint64_t address)
{
    struct walk_state *state = &walker->state;
    struct unwind_row row;
    bool outermost;
    uint64_t const sp = state->sp;
    if (process_code_row(walker->code, address, &row) < 0)
        return STACK_STOP_BAD_ROW;
    if (walk_step_row(state, &row, &outermost) < 0)
        return failure(state);
    if (outermost)
        return STACK_STOP_OUTERMOST;
    /* Only before its first push can a function have its return address in a register. */
    bool const may_stay = walker->count == 1 && row.registers[REG_IP].place == PLACE_REGISTER;
    if (!row.signal_frame && (may_stay ? state->sp < sp : state->sp <= sp))
        return STACK_STOP_ASTRAY;
    if (row.signal_frame)
        correct_signal_frame(walker);
    walker->exact = row.signal_frame;
    walker->others_known = true;
    return GO_ON;
}

/* What the kernel saved when it called a signal handler: a ucontext lies at the stack pointer of
 * the code that returns from it. */
static enum stack_stop leave_signal(struct stack_walker *walker)
{
    static const uint8_t in_order[] = SIGNAL_ORDER;
    struct walk_state *state = &walker->state;
    uint64_t const saved = state->sp + SIGNAL_WORDS_AT;
    uint64_t ip;
    correct_signal_frame(walker);
    for (unsigned i = 0; i < sizeof(in_order); i++)
        state->registers[in_order[i]] =
            (struct walk_register){.value = saved + 8 * i, .state = REGISTER_SAVED};
    if (!walk_use(state, REG_IP, &ip) || !walk_use(state, REG_SP, &state->sp))
        return failure(state);
    walker->exact = true;
    walker->others_known = true;
    return GO_ON;
}

/* Whether a function could return to there: a call lies before it. */
static bool is_behind_call(const struct stack_walker *walker, uint64_t address)
{
    uint8_t at[CODE_CALL_BYTES]; /* the bytes before it */
    return process_code_find(walker->code, address - 1) &&
           process_code_bytes(walker->code, address - sizeof(at), at, sizeof(at)) &&
           code_ends_with_call(at);
}

/* Where the return address is in code without tables: above what fp points to, once that was
 * set up.  In the innermost frame the instruction may tell that it is not, or (outside of code
 * made at run time, which has frame pointers) the word at the stack pointer that it never will
 * be.  0 when it cannot be told. */
static uint64_t guess_return_slot(struct stack_walker *walker, const struct code_region *region,
                                  bool *fp_is_saved)
{
    struct walk_state *state = &walker->state;
    uint8_t at[CODE_STAGE_BYTES], before;
    uint64_t fp, word;
    *fp_is_saved = false;
    if (walker->exact && process_code_bytes(walker->code, walker->ip, at, sizeof(at))) {
        enum code_stage const stage = code_stage(at);
        if (stage == CODE_OUTSIDE)
            return state->sp;
        if (stage == CODE_BEGINNING &&
            process_code_bytes(walker->code, walker->ip - 1, &before, 1) && code_saves_fp(before)) {
            state->registers[REG_FP] =
                (struct walk_register){.value = state->sp, .state = REGISTER_SAVED};
            return state->sp + 8;
        }
    }
    if (walker->exact && region->kind == CODE_FILE && walk_word(state, state->sp, &word) &&
        is_behind_call(walker, word))
        return state->sp;
    if (!walk_use(state, REG_FP, &fp) || fp < state->sp)
        return 0;
    *fp_is_saved = true;
    return fp + 8;
}

/* The mapping of an address, which may be younger than the list of them.  NULL when there is
 * none: what a walk makes of that is not to be remembered, for the same reason. */
static const struct code_region *find_code(struct stack_walker *walker, uint64_t address)
{
    const struct code_region *region = process_code_find(walker->code, address);
    if (!region && process_code_refresh_if_due(walker->code))
        region = process_code_find(walker->code, address);
    if (!region)
        walker->state.walk->not_repeatable = true;
    return region;
}

static enum stack_stop describe_missing(const struct code_region *region)
{
    if (region->kind == CODE_MADE)
        return STACK_STOP_MADE_CODE;
    return region->tables && (region->tables->has_frames || region->tables->index)
               ? STACK_STOP_NO_ROW
               : STACK_STOP_NO_TABLES;
}

static enum stack_stop leave_without_rule(struct stack_walker *walker, uint64_t address)
{
    struct walk_state *state = &walker->state;
    const struct code_region *region = process_code_find(walker->code, address);
    bool fp_is_saved;
    uint64_t caller;
    if (region->tables && code_tables_is_entry(region->tables, address - region->bias))
        return STACK_STOP_ENTRY;
    enum stack_stop const missing = describe_missing(region);
    uint64_t const slot = guess_return_slot(walker, region, &fp_is_saved);
    if (state->lost || slot == 0 || !walk_word(state, slot, &caller))
        return missing;
    if (caller == 0)
        return STACK_STOP_ZERO;
    if (!find_code(walker, caller - 1))
        return missing;
    if (fp_is_saved)
        state->registers[REG_FP] =
            (struct walk_register){.value = slot - 8, .state = REGISTER_SAVED};
    state->walk->by_pointer++;
    enter_caller(walker, caller, slot + 8);
    return GO_ON;
}

static enum stack_stop leave_frame(struct stack_walker *walker, uint64_t address)
{
    unwind_rule rule = process_code_rule(walker->code, address);
    if (rule_kind_of(rule) == RULE_NONE && find_code(walker, address))
        rule = process_code_rule(walker->code, address);
    switch (rule_kind_of(rule)) {
    case RULE_NONE:
        return STACK_STOP_NO_CODE;
    case RULE_OUTERMOST:
        return rule_offset(rule) ? STACK_STOP_SWITCHED : STACK_STOP_OUTERMOST;
    case RULE_SIGNAL:
        return leave_signal(walker);
    case RULE_COMPLEX:
        return leave_by_row(walker, address);
    case RULE_MISSING:
        return leave_without_rule(walker, address);
    case RULE_SP:
    case RULE_FP:
    case RULE_FP_MEMORY:
        break;
    }
    return walker->with_all ? leave_by_row(walker, address) : leave_by_rule(walker, rule);
}

static enum stack_stop walk_outward(struct stack_walker *walker)
{
    const struct walk_register *ip = &walker->state.registers[REG_IP];
    /* Each call took a word at least: more steps go in circles. */
    size_t const most = walker->state.copy->size / 8 + SIGNALS_MAX;
    enum stack_stop stop = GO_ON;
    for (size_t steps = 0; stop == GO_ON; steps++) {
        if (steps == most)
            return STACK_STOP_ASTRAY;
        if (ip->value == 0 && steps > 0)
            return STACK_STOP_ZERO;
        walker->ip = ip->value;
        uint64_t const address = walker->ip - !walker->exact;
        push_frame(walker, address);
        stop = leave_frame(walker, address);
    }
    return stop;
}

static enum stack_end end_of(const struct stack_walk *walk)
{
    switch (walk->stop) {
    case STACK_STOP_OUTERMOST:
    case STACK_STOP_ZERO:
    case STACK_STOP_ENTRY:
    case STACK_STOP_SWITCHED:
        return walk->left_out ? STACK_END_TOO_DEEP : STACK_END_COMPLETE;
    case STACK_STOP_NO_TABLES:
    case STACK_STOP_NO_ROW:
    case STACK_STOP_MADE_CODE:
    case STACK_STOP_BAD_ROW:
        return STACK_END_NO_RULE;
    case STACK_STOP_COPY_ENDS:
    case STACK_STOP_OTHER_STACK:
        return STACK_END_CUT;
    case STACK_STOP_NO_CODE:
    case STACK_STOP_ASTRAY:
    case STACK_STOP_KINDS:
        break;
    }
    return STACK_END_BAD_FRAME;
}

void stack_walk(struct process_code *code, const struct stack_copy *copy, struct stack_walk *walk)
{
    struct stack_walker walker = {.code = code};
    do {
        walker.with_all = walker.state.lost;
        walk->frame_count = walk->left_out = walk->by_pointer = walk->word_count = 0;
        walk->not_repeatable = false;
        walk_state_init(&walker.state, copy, walk);
        walker.count = 0;
        walker.exact = walker.others_known = true;
        walk->stop = walk_outward(&walker);
    } while (walker.state.lost && !walker.with_all);
    finish_frames(&walker);
    walk->end = end_of(walk);
}
