/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/rule.h"

/* `breg6 offset; deref`: how compilers describe a function that aligned its own stack. */
static bool is_fp_memory(const struct unwind_row *row, int64_t *offset)
{
    const uint8_t *code = row->cfa_expr;
    if (row->cfa_expr_size != 3 || code[0] != 0x70 + REG_FP || code[2] != 0x06 || (code[1] & 0x80))
        return false;
    *offset = (int64_t)(int8_t)(code[1] << 1) >> 1; /* a one-byte SLEB */
    return *offset % 8 == 0;
}

/* Bytes below the CFA where fp is saved, 0 when it is unchanged, -1 when it is neither. */
static int64_t saved_fp(const struct unwind_row *row)
{
    const struct register_rule *fp_rule = &row->registers[REG_FP];
    if (fp_rule->place == PLACE_SAME || fp_rule->place == PLACE_UNDEFINED)
        return 0;
    if (fp_rule->place == PLACE_AT && fp_rule->offset < 0 && fp_rule->offset % 8 == 0 &&
        fp_rule->offset > -8 * RULE_SAVED_LIMIT)
        return -fp_rule->offset;
    /* A realigned frame keeps fp at the place fp itself points to; only the whole row knows. */
    return -1;
}

unwind_rule rule_from_row(const struct unwind_row *row, uint32_t module)
{
    const struct register_rule *ip_rule = &row->registers[REG_IP];
    const struct register_rule *fp_rule = &row->registers[REG_FP];
    int64_t offset = row->cfa_offset, fp = saved_fp(row);

    if (row->signal_frame)
        return rule_make(RULE_SIGNAL, 0, 0, module);
    if (ip_rule->place == PLACE_UNDEFINED)
        return rule_make(RULE_OUTERMOST, 0, 0, module);
    if (ip_rule->place != PLACE_AT || ip_rule->offset != -8)
        return rule_make(RULE_COMPLEX, 0, 0, module);
    if (row->cfa_is_expr) {
        /* fp is then described as "at breg6 + 0": the word that fp points to. */
        if (is_fp_memory(row, &offset) && fp_rule->place == PLACE_AT_EXPR &&
            fp_rule->expr_size == 2 && fp_rule->expr[0] == 0x70 + REG_FP && fp_rule->expr[1] == 0)
            return rule_make(RULE_FP_MEMORY, offset, 0, module);
        return rule_make(RULE_COMPLEX, 0, 0, module);
    }
    if (fp < 0 || offset % 8 || offset <= 0 || offset >= RULE_OFFSET_LIMIT)
        return rule_make(RULE_COMPLEX, 0, 0, module);
    if (row->cfa_register == REG_SP && fp > offset)
        return rule_make(RULE_COMPLEX, 0, 0, module); /* a frame keeps things inside itself */
    if (row->cfa_register == REG_SP)
        return rule_make(RULE_SP, offset, (unsigned)(fp / 8), module);
    if (row->cfa_register == REG_FP)
        return rule_make(RULE_FP, offset, (unsigned)(fp / 8), module);
    return rule_make(RULE_COMPLEX, 0, 0, module);
}
