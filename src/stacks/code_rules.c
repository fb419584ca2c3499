/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "stacks/code_tables.h"

#define ENTRY_BYTES 96u /* the first instructions of a program, which nobody called */
#define PAGE        4096u

bool code_tables_bias(const struct code_tables *tables, uint64_t start, uint64_t offset,
                      uint64_t *bias)
{
    for (uint32_t i = 0; i < tables->segment_count; i++) {
        const Elf64_Phdr *segment = &tables->segments[i];
        uint64_t low = segment->p_offset & ~(uint64_t)(PAGE - 1);
        if (offset < low || offset >= segment->p_offset + segment->p_filesz)
            continue;
        *bias = start - offset - (segment->p_vaddr - segment->p_offset);
        return true;
    }
    return false;
}

bool code_tables_is_entry(const struct code_tables *tables, uint64_t pc)
{
    return tables->entry != 0 && pc - tables->entry < ENTRY_BYTES;
}

int code_tables_row(const struct code_tables *tables, uint64_t pc, struct unwind_row *row)
{
    if (!tables->has_frames)
        return -ENOENT;
    int err = eh_frame_row(&tables->frames, pc, row);
    /* A return address at the very first byte of a function, with nobody's code before it, was never a call:
     * makecontext put it there, as the outer end of a new stack. */
    if (err == -ENOENT && eh_frame_row(&tables->frames, pc + 1, row) == 0) {
        row->registers[REG_RIP].place = PLACE_UNDEFINED;
        return 0;
    }
    return err;
}

/* A rule for Go's functions: the table says how far the stack pointer is from the return address, for those in assembly
 * too.  The frame pointer is kept next to that, wherever there is a frame. */
static unwind_rule go_rule(const struct code_tables *tables, uint64_t pc, uint32_t module)
{
    struct go_stack frame;
    if (!pclntab_stack(&tables->go, pc, &frame))
        return rule_make(RULE_MISSING, 0, 0, module);
    if (frame.kind == GO_STACK_BEGINS)
        return rule_make(RULE_OUTERMOST, 0, 0, module);
    if (frame.kind == GO_STACK_SIGNAL)
        return rule_make(RULE_SIGNAL, 0, 0, module);
    int64_t const offset = (int64_t)frame.size + 8;
    if (offset % 8 != 0 || offset >= RULE_OFFSET_LIMIT)
        return rule_make(RULE_MISSING, 0, 0, module);
    return rule_make(RULE_RSP, offset, frame.size > 0 ? 2 : 0, module);
}

unwind_rule code_tables_rule(const struct code_tables *tables, uint64_t pc, uint32_t module)
{
    struct unwind_row row;
    if (tables->is_go && pc >= tables->go_low && pc < tables->go_high)
        return go_rule(tables, pc, module);
    if (code_tables_row(tables, pc, &row) < 0)
        return rule_make(RULE_MISSING, 0, 0, module);
    if (row.signal_frame) /* the row itself says where the registers are */
        return rule_make(RULE_COMPLEX, 0, 0, module);
    return rule_from_row(&row, module);
}
