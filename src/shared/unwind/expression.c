/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/eh_frame.h"

#include <errno.h>

#include "unwind/byte_cursor.h"

#define DEPTH_MAX 32
#define STEPS_MAX 256 /* expressions in real tables are below ten operations; no loops */

struct machine {
    uint64_t values[DEPTH_MAX];
    unsigned depth;
    bool failed;
};

static void push(struct machine *machine, uint64_t value)
{
    if (machine->depth == DEPTH_MAX) {
        machine->failed = true;
        return;
    }
    machine->values[machine->depth++] = value;
}

static uint64_t pop(struct machine *machine)
{
    if (machine->depth == 0) {
        machine->failed = true;
        return 0;
    }
    return machine->values[--machine->depth];
}

/* Constants and registers.  false: not one of those. */
static bool push_operand(struct machine *machine, uint8_t op, struct byte_cursor *cursor,
                         const struct expr_input *input)
{
    if (op >= 0x30 && op <= 0x4f) { /* lit0..31 */
        push(machine, op - 0x30u);
    } else if (op >= 0x70 && op < 0x70 + REG_COUNT) { /* breg0..16 */
        if (input->used)
            *input->used |= 1u << (op - 0x70);
        push(machine, input->registers[op - 0x70] + (uint64_t)cursor_sleb(cursor));
    } else if (op == 0x08) {
        push(machine, cursor_u8(cursor));
    } else if (op == 0x09) {
        push(machine, (uint64_t)(int64_t)(int8_t)cursor_u8(cursor));
    } else if (op == 0x0a) {
        push(machine, cursor_u16(cursor));
    } else if (op == 0x0b) {
        push(machine, (uint64_t)(int64_t)(int16_t)cursor_u16(cursor));
    } else if (op == 0x0c) {
        push(machine, cursor_u32(cursor));
    } else if (op == 0x0d) {
        push(machine, (uint64_t)(int64_t)(int32_t)cursor_u32(cursor));
    } else if (op == 0x0e || op == 0x0f) {
        push(machine, cursor_u64(cursor));
    } else if (op == 0x10) {
        push(machine, cursor_uleb(cursor));
    } else if (op == 0x11) {
        push(machine, (uint64_t)cursor_sleb(cursor));
    } else {
        return false;
    }
    return true;
}

static bool apply_binary(struct machine *machine, uint8_t op)
{
    uint64_t right = pop(machine), left = pop(machine);
    switch (op) {
    case 0x1a:
        push(machine, left & right);
        return true;
    case 0x1c:
        push(machine, left - right);
        return true;
    case 0x21:
        push(machine, left | right);
        return true;
    case 0x22:
        push(machine, left + right);
        return true;
    case 0x24:
        push(machine, right < 64 ? left << right : 0);
        return true;
    case 0x25:
        push(machine, right < 64 ? left >> right : 0);
        return true;
    case 0x2a: /* ge */
        push(machine, (int64_t)left >= (int64_t)right);
        return true;
    default:
        return false;
    }
}

int eh_frame_evaluate(const struct expr_input *input, uint64_t *result)
{
    struct byte_cursor cursor = {input->code, input->code + input->size, false};
    struct machine machine = {.depth = 0};
    if (input->has_first)
        push(&machine, input->first);

    for (unsigned steps = 0; cursor.at < cursor.end; steps++) {
        uint8_t op = cursor_u8(&cursor);
        uint64_t value;
        if (steps == STEPS_MAX || machine.failed || cursor.failed)
            return -EINVAL;
        if (op == 0x06) { /* deref */
            if (!input->read_word(input->context, pop(&machine), &value))
                return -EINVAL;
            push(&machine, value);
        } else if (op == 0x12) { /* dup */
            value = pop(&machine);
            push(&machine, value);
            push(&machine, value);
        } else if (op == 0x23) { /* plus_uconst */
            push(&machine, pop(&machine) + cursor_uleb(&cursor));
        } else if (!push_operand(&machine, op, &cursor, input) && !apply_binary(&machine, op)) {
            return -EINVAL;
        }
    }
    *result = pop(&machine);
    return machine.failed || cursor.failed ? -EINVAL : 0;
}

static int restore_register(const struct register_rule *rule, const struct expr_input *frame,
                            uint64_t old, uint64_t *value)
{
    uint64_t at;
    struct expr_input input = *frame;
    input.code = rule->expr;
    input.size = rule->expr_size;

    switch ((enum place)rule->place) {
    case PLACE_SAME:
    case PLACE_UNDEFINED:
        *value = old;
        return 0;
    case PLACE_AT:
        return input.read_word(input.context, input.first + (uint64_t)(int64_t)rule->offset, value)
                   ? 0
                   : -EINVAL;
    case PLACE_IS:
        *value = input.first + (uint64_t)(int64_t)rule->offset;
        return 0;
    case PLACE_REGISTER:
        if (rule->offset < 0 || rule->offset >= REG_COUNT)
            return -EINVAL;
        *value = input.registers[rule->offset];
        return 0;
    case PLACE_AT_EXPR:
        if (eh_frame_evaluate(&input, &at) < 0 || !input.read_word(input.context, at, value))
            return -EINVAL;
        return 0;
    case PLACE_IS_EXPR:
        return eh_frame_evaluate(&input, value);
    }
    return -EINVAL;
}

int eh_frame_step(const struct unwind_row *row, uint64_t registers[REG_COUNT],
                  read_word_fn read_word, void *context, bool *outermost)
{
    uint64_t caller[REG_COUNT], cfa;
    struct expr_input frame = {.code = row->cfa_expr,
                               .size = row->cfa_expr_size,
                               .registers = registers,
                               .read_word = read_word,
                               .context = context};

    *outermost = row->registers[REG_IP].place == PLACE_UNDEFINED;
    if (*outermost)
        return 0;
    if (row->cfa_is_expr) {
        if (eh_frame_evaluate(&frame, &cfa) < 0)
            return -EINVAL;
    } else {
        if (row->cfa_register >= REG_COUNT)
            return -EINVAL;
        cfa = registers[row->cfa_register] + (uint64_t)row->cfa_offset;
    }
    frame.has_first = true;
    frame.first = cfa;
    for (unsigned i = 0; i < REG_COUNT; i++) {
        if (restore_register(&row->registers[i], &frame, registers[i], &caller[i]) < 0)
            return -EINVAL;
    }
    /* The stack pointer of the caller is the CFA unless the row says otherwise (signal frames do).
     */
    if (row->registers[REG_SP].place == PLACE_SAME)
        caller[REG_SP] = cfa;
    for (unsigned i = 0; i < REG_COUNT; i++)
        registers[i] = caller[i];
    return 0;
}
