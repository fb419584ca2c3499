/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/walk_registers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void walk_state_init(struct walk_state *state, const struct stack_copy *copy,
                     struct stack_walk *walk)
{
    *state = (struct walk_state){.copy = copy, .walk = walk, .sp = copy->registers[REG_SP]};
    for (unsigned i = 0; i < REG_COUNT; i++)
        state->registers[i] =
            (struct walk_register){copy->registers[i], REGISTER_INITIAL, (uint8_t)i};
}

/* Looks without resting on it. */
static bool peek_word(const struct stack_copy *copy, uint64_t address, uint64_t *value)
{
    uint64_t const inside = address - copy->start;
    if (copy->size < 8 || inside > copy->size - 8 || inside % 8 != 0)
        return false;
    memcpy(value, copy->bytes + inside, sizeof(*value));
    return true;
}

static void rest_on(struct walk_state *state, struct stack_word word)
{
    struct stack_walk *walk = state->walk;
    /* Most are further outward than all before. */
    for (uint32_t i = word.address > state->outermost ? 0 : walk->word_count; i-- > 0;)
        if (walk->words[i].address == word.address)
            return;
    if (word.address > state->outermost)
        state->outermost = word.address;
    if (walk->word_count < STACK_WORDS_MAX)
        walk->words[walk->word_count++] = word;
    else
        walk->not_repeatable = true;
}

bool walk_word(struct walk_state *state, uint64_t address, uint64_t *value)
{
    if (!peek_word(state->copy, address, value)) {
        state->out_below |= address < state->copy->start;
        state->out_above |= address >= state->copy->start && address % 8 == 0;
        return false;
    }
    rest_on(state, (struct stack_word){address, *value});
    return true;
}

bool walk_use(struct walk_state *state, unsigned number, uint64_t *value)
{
    struct walk_register *reg = &state->registers[number];
    switch ((enum register_state)reg->state) {
    case REGISTER_INITIAL:
        if (reg->number == REG_FP)
            rest_on(state, (struct stack_word){STACK_WORD_FP, reg->value});
        else if (reg->number != REG_SP && reg->number != REG_IP)
            state->walk->not_repeatable = true;
        break;
    case REGISTER_SAVED:
        if (!walk_word(state, reg->value, &reg->value))
            return false;
        break;
    case REGISTER_KNOWN:
        break;
    case REGISTER_LOST:
        state->lost = true;
        return false;
    }
    reg->state = REGISTER_KNOWN;
    *value = reg->value;
    return true;
}

static bool read_for_expression(void *context, uint64_t address, uint64_t *value)
{
    return walk_word(context, address, value);
}

/* Evaluates with the values that the registers have, and rests on those it used. */
static bool evaluate(struct walk_state *state, const uint8_t *code, size_t size,
                     const uint64_t *cfa, uint64_t *result)
{
    uint64_t values[REG_COUNT], ignored;
    uint32_t used = 0;
    for (unsigned i = 0; i < REG_COUNT; i++) {
        const struct walk_register *reg = &state->registers[i];
        values[i] = reg->value;
        if (reg->state == REGISTER_SAVED && !peek_word(state->copy, reg->value, &values[i]))
            values[i] = 0;
    }
    struct expr_input const input = {.code = code,
                                     .size = size,
                                     .registers = values,
                                     .has_first = cfa != NULL,
                                     .first = cfa ? *cfa : 0,
                                     .read_word = read_for_expression,
                                     .context = state,
                                     .used = &used};
    int const err = eh_frame_evaluate(&input, result);
    for (unsigned i = 0; i < REG_COUNT; i++) {
        if ((used >> i & 1) && !walk_use(state, i, &ignored))
            return false;
    }
    return err == 0;
}

static bool find_cfa(struct walk_state *state, const struct unwind_row *row, uint64_t *cfa)
{
    if (row->cfa_is_expr)
        return evaluate(state, row->cfa_expr, row->cfa_expr_size, NULL, cfa);
    if (row->cfa_register >= REG_COUNT || !walk_use(state, row->cfa_register, cfa))
        return false;
    *cfa += (uint64_t)row->cfa_offset;
    return true;
}

/* Where the caller's register is.  One that cannot be told is missed only when it is used. */
static struct walk_register restored(struct walk_state *state, const struct register_rule *rule,
                                     unsigned number, const uint64_t *cfa)
{
    struct walk_register const lost = {.state = REGISTER_LOST};
    uint64_t value = *cfa + (uint64_t)(int64_t)rule->offset;
    switch ((enum place)rule->place) {
    case PLACE_SAME:
    case PLACE_UNDEFINED:
        break;
    case PLACE_AT:
        return walk_saved(state, number, value);
    case PLACE_IS:
        return (struct walk_register){.value = value, .state = REGISTER_KNOWN};
    case PLACE_REGISTER:
        return rule->offset < 0 || rule->offset >= REG_COUNT ? lost
                                                             : state->registers[rule->offset];
    case PLACE_AT_EXPR:
        if (!evaluate(state, rule->expr, rule->expr_size, cfa, &value))
            return lost;
        return (struct walk_register){.value = value, .state = REGISTER_SAVED};
    case PLACE_IS_EXPR:
        if (!evaluate(state, rule->expr, rule->expr_size, cfa, &value))
            return lost;
        return (struct walk_register){.value = value, .state = REGISTER_KNOWN};
    }
    return state->registers[number];
}

int walk_step_row(struct walk_state *state, const struct unwind_row *row, bool *outermost)
{
    struct walk_register caller[REG_COUNT];
    uint64_t cfa, ip;
    *outermost = row->registers[REG_IP].place == PLACE_UNDEFINED;
    if (*outermost)
        return 0;
    if (!find_cfa(state, row, &cfa))
        return -EINVAL;
    for (unsigned i = 0; i < REG_COUNT; i++)
        caller[i] = restored(state, &row->registers[i], i, &cfa);
    /* The stack pointer of the caller is the CFA unless the row says otherwise (signal frames
     * do). */
    if (row->registers[REG_SP].place == PLACE_SAME)
        caller[REG_SP] = (struct walk_register){.value = cfa, .state = REGISTER_KNOWN};
    memcpy(state->registers, caller, sizeof(caller));
    return walk_use(state, REG_IP, &ip) && walk_use(state, REG_SP, &state->sp) ? 0 : -EINVAL;
}
