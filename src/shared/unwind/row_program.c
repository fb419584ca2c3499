/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/row_program.h"

static void set_register(struct row_state *state, uint64_t reg, enum place place, int64_t offset)
{
    if (offset != (int32_t)offset)
        place = PLACE_UNDEFINED; /* no frame is that large */
    if (reg < REG_COUNT)
        state->row.registers[reg] =
            (struct register_rule){.place = (uint8_t)place, .offset = (int32_t)offset};
}

static void set_expression(struct row_state *state, uint64_t reg, enum place place,
                           struct byte_cursor *cursor)
{
    uint64_t size = cursor_uleb(cursor);
    const uint8_t *code = cursor->at;
    cursor_skip(cursor, size);
    if (size > UINT16_MAX)
        cursor->failed = true;
    if (!cursor->failed && reg < REG_COUNT)
        state->row.registers[reg] = (struct register_rule){
            .place = (uint8_t)place, .expr = code, .expr_size = (uint16_t)size};
}

/* Multiplication that may overflow only by wrapping: hostile factors must not be undefined. */
static int64_t scaled(uint64_t value, int64_t factor)
{
    return (int64_t)(value * (uint64_t)factor);
}

static void define_cfa(struct row_state *state, uint64_t reg, int64_t offset)
{
    state->row.cfa_is_expr = false;
    state->row.cfa_register = reg < REG_COUNT ? (unsigned)reg : REG_COUNT;
    state->row.cfa_offset = offset;
}

/* The instructions that define the CFA.  false: not one of them. */
static bool run_cfa_instruction(struct row_state *state, uint8_t op, const struct cie *cie,
                                struct byte_cursor *cursor)
{
    uint64_t reg;
    switch (op) {
    case 0x0c: /* def_cfa */
        reg = cursor_uleb(cursor);
        define_cfa(state, reg, (int64_t)cursor_uleb(cursor));
        return true;
    case 0x12: /* def_cfa_sf */
        reg = cursor_uleb(cursor);
        define_cfa(state, reg, scaled((uint64_t)cursor_sleb(cursor), cie->data_align));
        return true;
    case 0x0d: /* def_cfa_register */
        define_cfa(state, cursor_uleb(cursor), state->row.cfa_offset);
        return true;
    case 0x0e: /* def_cfa_offset */
        state->row.cfa_offset = (int64_t)cursor_uleb(cursor);
        return true;
    case 0x13: /* def_cfa_offset_sf */
        state->row.cfa_offset = scaled((uint64_t)cursor_sleb(cursor), cie->data_align);
        return true;
    case 0x0f: /* def_cfa_expression */
        state->row.cfa_expr_size = (size_t)cursor_uleb(cursor);
        state->row.cfa_expr = cursor->at;
        state->row.cfa_is_expr = true;
        cursor_skip(cursor, state->row.cfa_expr_size);
        return true;
    default:
        return false;
    }
}

static bool run_state_instruction(struct row_state *state, uint8_t op)
{
    if (op == 0x0a) { /* remember_state */
        if (state->depth == REMEMBER_MAX)
            return false;
        state->remembered[state->depth++] = state->row;
        return true;
    }
    if (op == 0x0b) { /* restore_state */
        if (state->depth == 0)
            return false;
        state->row = state->remembered[--state->depth];
        return true;
    }
    return op == 0x00 || op == 0x2d; /* nop; GNU_window_save has no meaning here */
}

static bool run_register_instruction(struct row_state *state, uint8_t op, const struct cie *cie,
                                     struct byte_cursor *cursor)
{
    uint64_t reg = op == 0x2e ? 0 : cursor_uleb(cursor);
    switch (op) {
    case 0x05: /* offset_extended */
        set_register(state, reg, PLACE_AT, scaled(cursor_uleb(cursor), cie->data_align));
        return true;
    case 0x11: /* offset_extended_sf */
        set_register(state, reg, PLACE_AT, scaled((uint64_t)cursor_sleb(cursor), cie->data_align));
        return true;
    case 0x2f: /* GNU_negative_offset_extended */
        set_register(state, reg, PLACE_AT, scaled(-cursor_uleb(cursor), cie->data_align));
        return true;
    case 0x14: /* val_offset */
        set_register(state, reg, PLACE_IS, scaled(cursor_uleb(cursor), cie->data_align));
        return true;
    case 0x15: /* val_offset_sf */
        set_register(state, reg, PLACE_IS, scaled((uint64_t)cursor_sleb(cursor), cie->data_align));
        return true;
    case 0x06: /* restore_extended */
        if (reg < REG_COUNT)
            state->row.registers[reg] = state->initial.registers[reg];
        return true;
    case 0x07: /* undefined */
        set_register(state, reg, PLACE_UNDEFINED, 0);
        return true;
    case 0x08: /* same_value */
        set_register(state, reg, PLACE_SAME, 0);
        return true;
    case 0x09: /* register */
        set_register(state, reg, PLACE_REGISTER, (int64_t)cursor_uleb(cursor));
        return true;
    case 0x10: /* expression */
        set_expression(state, reg, PLACE_AT_EXPR, cursor);
        return true;
    case 0x16: /* val_expression */
        set_expression(state, reg, PLACE_IS_EXPR, cursor);
        return true;
    case 0x2e: /* GNU_args_size */
        cursor_uleb(cursor);
        return true;
    default:
        return false;
    }
}

/* Advances the location if `op` says so; false when it is not an advance. */
static bool run_advance(struct row_state *state, uint8_t op, const struct cie *cie,
                        struct byte_cursor *cursor)
{
    uint64_t delta;
    if (op >> 6 == 1)
        delta = op & 0x3f;
    else if (op == 0x02)
        delta = cursor_u8(cursor);
    else if (op == 0x03)
        delta = cursor_u16(cursor);
    else if (op == 0x04)
        delta = cursor_u32(cursor);
    else
        return false;
    state->location += delta * cie->code_align;
    return true;
}

bool row_program_run(struct row_state *state, const struct cie *cie, struct byte_cursor cursor,
                     uint64_t pc)
{
    while (cursor.at < cursor.end && !cursor.failed) {
        uint8_t op = cursor_u8(&cursor);
        if (run_advance(state, op, cie, &cursor)) {
            if (state->location > pc)
                return !cursor.failed;
        } else if (op >> 6 == 2) { /* offset */
            set_register(state, op & 0x3f, PLACE_AT, scaled(cursor_uleb(&cursor), cie->data_align));
        } else if (op >> 6 == 3) { /* restore */
            if ((op & 0x3f) < REG_COUNT)
                state->row.registers[op & 0x3f] = state->initial.registers[op & 0x3f];
        } else if (!run_cfa_instruction(state, op, cie, &cursor) &&
                   !run_state_instruction(state, op) &&
                   !run_register_instruction(state, op, cie, &cursor)) {
            return false;
        }
    }
    return !cursor.failed;
}
