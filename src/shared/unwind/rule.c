/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/rule.h"

/* `breg6 offset; deref`: how compilers describe a function that aligned its own stack. */
static bool is_rbp_memory(const struct unwind_row *row, int64_t *offset)
{
    const uint8_t *code = row->cfa_expr;
    if (row->cfa_expr_size != 3 || code[0] != 0x70 + REG_RBP || code[2] != 0x06 || (code[1] & 0x80))
        return false;
    *offset = (int64_t)(int8_t)(code[1] << 1) >> 1; /* a one-byte SLEB */
    return *offset % 8 == 0;
}

/* Bytes below the CFA where rbp is saved, 0 when it is unchanged, -1 when it is neither. */
static int64_t saved_fp(const struct unwind_row *row)
{
    const struct register_rule *rbp = &row->registers[REG_RBP];
    if (rbp->place == PLACE_SAME || rbp->place == PLACE_UNDEFINED)
        return 0;
    if (rbp->place == PLACE_AT && rbp->offset < 0 && rbp->offset % 8 == 0 &&
        rbp->offset > -8 * RULE_SAVED_LIMIT)
        return -rbp->offset;
    /* A realigned frame keeps rbp at the place rbp itself points to; only the whole row knows. */
    return -1;
}

unwind_rule rule_from_row(const struct unwind_row *row, uint32_t module)
{
    const struct register_rule *rip = &row->registers[REG_RIP];
    const struct register_rule *rbp = &row->registers[REG_RBP];
    int64_t offset = row->cfa_offset, fp = saved_fp(row);

    if (row->signal_frame)
        return rule_make(RULE_SIGNAL, 0, 0, module);
    if (rip->place == PLACE_UNDEFINED)
        return rule_make(RULE_OUTERMOST, 0, 0, module);
    if (rip->place != PLACE_AT || rip->offset != -8)
        return rule_make(RULE_COMPLEX, 0, 0, module);
    if (row->cfa_is_expr) {
        /* rbp is then described as "at breg6 + 0": the word that rbp points to. */
        if (is_rbp_memory(row, &offset) && rbp->place == PLACE_AT_EXPR && rbp->expr_size == 2 &&
            rbp->expr[0] == 0x70 + REG_RBP && rbp->expr[1] == 0)
            return rule_make(RULE_RBP_MEMORY, offset, 0, module);
        return rule_make(RULE_COMPLEX, 0, 0, module);
    }
    if (fp < 0 || offset % 8 || offset <= 0 || offset >= RULE_OFFSET_LIMIT)
        return rule_make(RULE_COMPLEX, 0, 0, module);
    if (row->cfa_register == REG_RSP)
        return rule_make(RULE_RSP, offset, (unsigned)(fp / 8), module);
    if (row->cfa_register == REG_RBP)
        return rule_make(RULE_RBP, offset, (unsigned)(fp / 8), module);
    return rule_make(RULE_COMPLEX, 0, 0, module);
}
