/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "stacks/code_tables.h"
#include "stacks/go_row.h"

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

static bool is_in_go(const struct code_tables *tables, uint64_t address)
{
    return tables->is_go && address >= tables->go_low && address < tables->go_high;
}

static int go_row(const struct code_tables *tables, uint64_t pc, struct unwind_row *row)
{
    struct go_stack frame;
    if (!pclntab_stack(&tables->go, pc, &frame) || frame.size > INT32_MAX / 2)
        return -ENOENT;
    go_row_make(&frame, row);
    return 0;
}

static unwind_rule go_rule(const struct code_tables *tables, uint64_t pc, uint32_t module)
{
    struct go_stack frame;
    struct unwind_row row;
    if (!pclntab_stack(&tables->go, pc, &frame) || go_row(tables, pc, &row) < 0)
        return rule_make(RULE_MISSING, 0, 0, module);
    if (frame.kind == GO_STACK_SWITCHED)
        return rule_make(RULE_OUTERMOST, 8, 0, module);
    return rule_from_row(&row, module);
}

static int listed_row(const struct code_tables *tables, uint64_t pc, struct unwind_row *row)
{
    size_t low = 0, high = tables->index_count;
    while (low < high) {
        size_t const middle = (low + high) / 2;
        if (tables->index[middle].end <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tables->index_count || tables->index[low].start > pc)
        return -ENOENT;
    return eh_frame_row_at(&tables->listed, tables->index[low].offset, pc, row);
}

static int frame_row(const struct code_tables *tables, uint64_t pc, struct unwind_row *row)
{
    int const err = tables->has_frames ? eh_frame_row(&tables->frames, pc, row) : -ENOENT;
    return err == -ENOENT ? listed_row(tables, pc, row) : err;
}

int code_tables_row(const struct code_tables *tables, uint64_t pc, struct unwind_row *row)
{
    if (is_in_go(tables, pc))
        return go_row(tables, pc, row);
    int err = frame_row(tables, pc, row);
    /* A return address at the very first byte of a function, with nobody's code before it, was
     * never a call: makecontext put it there, as the outer end of a new stack. */
    if (err == -ENOENT && frame_row(tables, pc + 1, row) == 0) {
        row->registers[REG_IP].place = PLACE_UNDEFINED;
        return 0;
    }
    return err;
}

unwind_rule code_tables_rule(const struct code_tables *tables, uint64_t pc, uint32_t module)
{
    struct unwind_row row;
    if (is_in_go(tables, pc))
        return go_rule(tables, pc, module);
    if (code_tables_row(tables, pc, &row) < 0)
        return rule_make(RULE_MISSING, 0, 0, module);
    if (row.signal_frame) /* the row itself says where the registers are */
        return rule_make(RULE_COMPLEX, 0, 0, module);
    return rule_from_row(&row, module);
}
