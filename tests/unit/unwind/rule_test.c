/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/rule.h"

#include "check.h"

static struct unwind_row plain_row(unsigned reg, int64_t offset)
{
    struct unwind_row row = {.cfa_register = reg, .cfa_offset = offset};
    row.registers[REG_IP] = (struct register_rule){.place = PLACE_AT, .offset = -8};
    return row;
}

static struct unwind_row saving_row(unsigned reg, int64_t offset, int saved_at)
{
    struct unwind_row row = plain_row(reg, offset);
    row.registers[REG_FP] = (struct register_rule){.place = PLACE_AT, .offset = saved_at};
    return row;
}

static enum rule_kind kind_of(const struct unwind_row *row)
{
    return rule_kind_of(rule_from_row(row, 1));
}

TEST(packing_gives_back_what_went_in)
{
    static const int64_t offsets[] = {
        8, 16, 128, 4096, (1 << 19) - 8, 1 << 19, (1 << 20) - 8, -8, -4096, -(1 << 20)};
    static const unsigned saved[] = {0, 1, 2, 30, 31};
    static const uint32_t modules[] = {0, 1, 8191, (1u << 22) - 1};
    for (unsigned k = RULE_SP; k <= RULE_MISSING; k++) {
        for (unsigned i = 0; i < 10 * 5 * 4; i++) {
            int64_t offset = offsets[i % 10];
            unsigned fp = saved[i / 10 % 5];
            uint32_t module = modules[i / 50];
            unwind_rule rule = rule_make((enum rule_kind)k, offset, fp, module);
            CHECK(rule != 0); /* which means an empty entry */
            CHECK(rule_kind_of(rule) == k);
            CHECK(rule_offset(rule) == offset);
            CHECK(rule_saved_fp(rule) == (uint64_t)fp * 8);
            CHECK(rule_module(rule) == module);
        }
    }
}

TEST(frames_on_rsp_and_rbp_are_packed)
{
    struct unwind_row row = plain_row(REG_SP, 8);
    unwind_rule rule = rule_from_row(&row, 7);
    CHECK(rule_kind_of(rule) == RULE_SP && rule_offset(rule) == 8 && rule_module(rule) == 7);
    CHECK(rule_saved_fp(rule) == 0);
    row = saving_row(REG_SP, 4096, -48);
    rule = rule_from_row(&row, 9);
    CHECK(rule_kind_of(rule) == RULE_SP && rule_offset(rule) == 4096);
    CHECK(rule_saved_fp(rule) == 48 && rule_module(rule) == 9);
    row = saving_row(REG_FP, 16, -16);
    rule = rule_from_row(&row, 9);
    CHECK(rule_kind_of(rule) == RULE_FP && rule_offset(rule) == 16 && rule_saved_fp(rule) == 16);
    row = saving_row(REG_SP, (1 << 20) - 8, -16);
    rule = rule_from_row(&row, 1);
    CHECK(rule_kind_of(rule) == RULE_SP && rule_offset(rule) == (1 << 20) - 8);
    row = plain_row(REG_SP, 16);
    row.registers[DWARF_RBX] = (struct register_rule){.place = PLACE_AT, .offset = -16};
    CHECK(kind_of(&row) == RULE_SP); /* other registers are not needed for it */
}

TEST(what_does_not_fit_is_complex)
{
    struct unwind_row row;
    row = plain_row(REG_SP, 8 << 20);
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = plain_row(REG_SP, 0);
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = plain_row(REG_SP, -8);
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = plain_row(REG_SP, 12);
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = plain_row(10, 8);
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = plain_row(REG_COUNT, 8);
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = saving_row(REG_SP, 16, -12);
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = saving_row(REG_SP, 16, 8);
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = saving_row(REG_SP, 16, -24); /* outside the frame: a walk need not look where */
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = saving_row(REG_SP, 16, -16);
    CHECK(kind_of(&row) == RULE_SP);
    row = saving_row(REG_SP, 16, -8 * 0x10000);
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = plain_row(REG_SP, 16);
    row.registers[REG_FP] = (struct register_rule){.place = PLACE_REGISTER, .offset = 3};
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = plain_row(REG_SP, 16);
    row.registers[REG_IP].offset = -16;
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row.registers[REG_IP] = (struct register_rule){.place = PLACE_REGISTER, .offset = 3};
    CHECK(kind_of(&row) == RULE_COMPLEX);
    CHECK(rule_module(rule_from_row(&row, 77)) == 77);
}

static struct unwind_row realigned_row(const char *cfa, size_t size, const char *rbp)
{
    struct unwind_row row = plain_row(0, 0);
    row.cfa_is_expr = true;
    row.cfa_expr = (const uint8_t *)cfa;
    row.cfa_expr_size = size;
    row.registers[REG_FP] = (struct register_rule){
        .place = PLACE_AT_EXPR, .expr = (const uint8_t *)rbp, .expr_size = 2};
    return row;
}

TEST(realigned_frames_are_followed_through_memory)
{
    struct unwind_row row = realigned_row("\x76\x78\x06", 3, "\x76\x00");
    unwind_rule rule = rule_from_row(&row, 3);
    CHECK(rule_kind_of(rule) == RULE_FP_MEMORY && rule_offset(rule) == -8);
    CHECK(rule_module(rule) == 3);
    row = realigned_row("\x76\x40\x06", 3, "\x76\x00");
    rule = rule_from_row(&row, 3);
    CHECK(rule_kind_of(rule) == RULE_FP_MEMORY && rule_offset(rule) == -64);
    row = realigned_row("\x76\x18\x06", 3, "\x76\x00");
    rule = rule_from_row(&row, 3);
    CHECK(rule_kind_of(rule) == RULE_FP_MEMORY && rule_offset(rule) == 24);

    row = realigned_row("\x76\x79\x06", 3, "\x76\x00"); /* not a multiple of eight */
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = realigned_row("\x73\x78\x06", 3, "\x76\x00"); /* rbx */
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = realigned_row("\x76\x78\x12", 3, "\x76\x00"); /* dup */
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = realigned_row("\x76\xf8\x7e\x06", 4, "\x76\x00"); /* two bytes of offset */
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = realigned_row("\x76\x78\x06", 3, "\x76\x08"); /* rbp is elsewhere */
    CHECK(kind_of(&row) == RULE_COMPLEX);
    row = realigned_row("\x76\x78\x06", 3, "\x76\x00");
    row.registers[REG_FP].place = PLACE_IS_EXPR;
    CHECK(kind_of(&row) == RULE_COMPLEX);
}

TEST(signals_and_the_outer_end)
{
    struct unwind_row row = plain_row(REG_SP, 160);
    row.signal_frame = true;
    CHECK(kind_of(&row) == RULE_SIGNAL);
    row = plain_row(REG_SP, 8);
    row.registers[REG_IP].place = PLACE_UNDEFINED;
    CHECK(kind_of(&row) == RULE_OUTERMOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_gives_back_what_went_in),
        cmocka_unit_test(frames_on_rsp_and_rbp_are_packed),
        cmocka_unit_test(what_does_not_fit_is_complex),
        cmocka_unit_test(realigned_frames_are_followed_through_memory),
        cmocka_unit_test(signals_and_the_outer_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
