/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/go_row.h"

#include <string.h>

void go_row_make(const struct go_stack *frame, struct unwind_row *row)
{
    memset(row, 0, sizeof(*row));
    row->cfa_register = frame->kind == GO_STACK_IN_R12 ? DWARF_R12 : REG_SP;
    row->cfa_offset = (int64_t)frame->size + 8;
    row->registers[REG_IP] = (struct register_rule){.place = PLACE_AT, .offset = -8};
    /* The frame pointer is kept next to that, wherever there is a frame. */
    if (frame->size > 0)
        row->registers[REG_FP] = (struct register_rule){.place = PLACE_AT, .offset = -16};
    if (frame->kind == GO_STACK_BEGINS || frame->kind == GO_STACK_SWITCHED)
        row->registers[REG_IP].place = PLACE_UNDEFINED;
    row->signal_frame = frame->kind == GO_STACK_SIGNAL;
}
