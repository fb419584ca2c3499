/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "guarded.h"
#include "unwind/eh_frame.h"

/* A little memory from address 0x1000 on. */
#define MEMORY_AT 0x1000u
static uint64_t memory[16];

static bool read_memory(void *context, uint64_t address, uint64_t *value)
{
    ++*(unsigned *)context;
    if (address < MEMORY_AT || address % 8 || address >= MEMORY_AT + sizeof(memory))
        return false;
    *value = memory[(address - MEMORY_AT) / 8];
    return true;
}

static uint64_t registers[REG_COUNT];

static int evaluate(const char *code, size_t size, const uint64_t *first, uint64_t *result)
{
    unsigned reads = 0;
    struct guarded copy = guarded_copy(code, size);
    struct expr_input input = {.code = copy.bytes,
                               .size = size,
                               .registers = registers,
                               .has_first = first != NULL,
                               .first = first ? *first : 0,
                               .read_word = read_memory,
                               .context = &reads};
    int err = eh_frame_evaluate(&input, result);
    guarded_free(&copy);
    return err;
}

#define EXPECT(code, wanted)                                                                       \
    do {                                                                                           \
        uint64_t got = 0xdead;                                                                     \
        CHECK(evaluate(code, sizeof(code) - 1, NULL, &got) == 0);                                  \
        assert_int_equal(got, wanted);                                                             \
    } while (0)
#define REFUSE(code)                                                                               \
    do {                                                                                           \
        uint64_t got;                                                                              \
        CHECK(evaluate(code, sizeof(code) - 1, NULL, &got) == -EINVAL);                            \
    } while (0)

TEST(constants_of_every_width)
{
    EXPECT("\x30", 0);
    EXPECT("\x4f", 31);
    EXPECT("\x08\xff", 255);
    EXPECT("\x09\xff", (uint64_t)-1);
    EXPECT("\x0a\xfe\xff", 0xfffe);
    EXPECT("\x0b\xfe\xff", (uint64_t)-2);
    EXPECT("\x0c\xfd\xff\xff\xff", 0xfffffffd);
    EXPECT("\x0d\xfd\xff\xff\xff", (uint64_t)-3);
    EXPECT("\x0e\1\2\3\4\5\6\7\x88", 0x8807060504030201ull);
    EXPECT("\x0f\1\2\3\4\5\6\7\x88", 0x8807060504030201ull);
    EXPECT("\x10\xe5\x8e\x26", 624485);
    EXPECT("\x11\xc0\xbb\x78", (uint64_t)-123456);
    EXPECT("\x11\x7f", (uint64_t)-1);
}

TEST(registers_and_memory)
{
    registers[REG_FP] = MEMORY_AT + 16;
    registers[REG_IP] = 77;
    registers[0] = 5;
    memory[1] = 0xabc;
    memory[2] = MEMORY_AT + 8;
    EXPECT("\x76\x00", MEMORY_AT + 16);
    EXPECT("\x76\x78\x06", 0xabc);
    EXPECT("\x76\x00\x06\x06", 0xabc);
    EXPECT("\x80\x01", 78);
    EXPECT("\x70\x7f", 4);
    REFUSE("\x81\x00"); /* breg17: there is no such register */
    REFUSE("\x30\x06"); /* not readable */
    uint64_t cfa = MEMORY_AT, result;
    CHECK(evaluate("\x23\x08\x06", 3, &cfa, &result) == 0 && result == 0xabc);
    CHECK(evaluate("", 0, &cfa, &result) == 0 && result == MEMORY_AT);
}

TEST(arithmetic)
{
    EXPECT("\x08\xf0\x08\x3c\x1a", 0x30);
    EXPECT("\x35\x37\x1c", (uint64_t)-2);
    EXPECT("\x08\xf0\x3f\x21", 0xff);
    EXPECT("\x35\x37\x22", 12);
    EXPECT("\x31\x34\x24", 16);
    EXPECT("\x31\x08\x40\x24", 0); /* by 64: C would not say */
    EXPECT("\x09\xff\x08\x3f\x25", 1);
    EXPECT("\x09\xff\x08\x40\x25", 0);
    EXPECT("\x35\x35\x2a", 1);
    EXPECT("\x09\xff\x30\x2a", 0); /* signed */
    EXPECT("\x30\x09\xff\x2a", 1);
    EXPECT("\x33\x12\x22", 6);
    EXPECT("\x33\x23\x80\x01", 131);
}

/* The expression by which linkers describe every PLT entry. */
TEST(the_plt_expression)
{
    registers[REG_SP] = 0x7000;
    registers[REG_IP] = 0x1005;
    EXPECT("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", 0x7008);
    registers[REG_IP] = 0x100b;
    EXPECT("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", 0x7010);
}

TEST(too_much_and_too_little)
{
    char code[400];
    uint64_t result;
    REFUSE("");
    REFUSE("\x22");
    REFUSE("\x31\x22");
    REFUSE("\x12");
    REFUSE("\x06");
    REFUSE("\x23\x01");
    REFUSE("\x08");             /* operand cut off */
    REFUSE("\x31\x0e\1\2\3");   /* likewise */
    REFUSE("\x31\x23\x80\x80"); /* likewise */
    REFUSE("\x31\x10\x80\x80"); /* likewise */
    REFUSE("\x31\x32\xff");     /* no such operation */
    REFUSE("\x31\x31\x2f\0\0"); /* skip: loops are not for us */
    memset(code, 0x31, sizeof(code));
    CHECK(evaluate(code, 32, NULL, &result) == 0 && result == 1);
    CHECK(evaluate(code, 33, NULL, &result) == -EINVAL); /* too deep */
    memset(code, 0x23, sizeof(code));                    /* plus_uconst 35 for ever */
    CHECK(evaluate(code, 400, &(uint64_t){0}, &result) == 0 && result == 200 * 0x23);
    char steps[600];
    for (unsigned i = 0; i < sizeof(steps); i++)
        steps[i] = i % 2 ? 0x00 : 0x23;
    CHECK(evaluate(steps, 510, &(uint64_t){9}, &result) == 0 && result == 9);
    CHECK(evaluate(steps, 600, &(uint64_t){9}, &result) == -EINVAL); /* too many steps */
}

/* Steps of whole rows. */
static struct unwind_row plain_row(unsigned reg, int64_t offset)
{
    struct unwind_row row = {.cfa_register = reg, .cfa_offset = offset};
    row.registers[REG_IP] = (struct register_rule){.place = PLACE_AT, .offset = -8};
    return row;
}

TEST(a_step_gives_the_callers_registers)
{
    uint64_t now[REG_COUNT] = {
        [REG_SP] = MEMORY_AT, [REG_FP] = 1, [DWARF_RBX] = 2, [DWARF_R12] = 3};
    unsigned reads = 0;
    bool outermost = true;
    struct unwind_row row = plain_row(REG_SP, 32);
    row.registers[REG_FP] = (struct register_rule){.place = PLACE_AT, .offset = -16};
    row.registers[DWARF_RBX] = (struct register_rule){.place = PLACE_REGISTER, .offset = DWARF_R12};
    row.registers[DWARF_R12] = (struct register_rule){.place = PLACE_IS, .offset = 8};
    memory[2] = 0xb9;
    memory[3] = 0x4010;
    CHECK(eh_frame_step(&row, now, read_memory, &reads, &outermost) == 0 && !outermost);
    CHECK(now[REG_IP] == 0x4010 && now[REG_FP] == 0xb9 && now[REG_SP] == MEMORY_AT + 32);
    CHECK(now[DWARF_RBX] == 3); /* the old r12, not the new one */
    CHECK(now[DWARF_R12] == MEMORY_AT + 40);
    CHECK(reads == 2);
}

TEST(a_step_through_expressions)
{
    uint64_t now[REG_COUNT] = {[REG_SP] = 0x7777, [REG_FP] = MEMORY_AT + 24};
    unsigned reads = 0;
    bool outermost;
    struct unwind_row row = plain_row(0, 0);
    row.cfa_is_expr = true;
    row.cfa_expr = (const uint8_t *)"\x76\x78\x06";
    row.cfa_expr_size = 3;
    row.registers[REG_FP] = (struct register_rule){
        .place = PLACE_AT_EXPR, .expr = (const uint8_t *)"\x76\x00", .expr_size = 2};
    row.registers[REG_SP] = (struct register_rule){
        .place = PLACE_IS_EXPR, .expr = (const uint8_t *)"\x23\x08", .expr_size = 2};
    memory[2] = MEMORY_AT + 64; /* the CFA */
    memory[3] = 0x5555;         /* rbp */
    memory[7] = 0x4242;         /* the return address */
    CHECK(eh_frame_step(&row, now, read_memory, &reads, &outermost) == 0);
    CHECK(now[REG_IP] == 0x4242 && now[REG_FP] == 0x5555);
    CHECK(now[REG_SP] == MEMORY_AT + 72); /* its own rule goes before the CFA */
}

TEST(a_step_that_fails_changes_nothing)
{
    uint64_t now[REG_COUNT] = {[REG_SP] = MEMORY_AT, [REG_FP] = 1}, before[REG_COUNT];
    unsigned reads = 0;
    bool outermost;
    memcpy(before, now, sizeof(now));
    struct unwind_row row = plain_row(REG_SP, 4096);
    CHECK(eh_frame_step(&row, now, read_memory, &reads, &outermost) == -EINVAL);
    row = plain_row(REG_COUNT, 8);
    CHECK(eh_frame_step(&row, now, read_memory, &reads, &outermost) == -EINVAL);
    row = plain_row(REG_SP, 32);
    row.registers[DWARF_RBX] = (struct register_rule){.place = PLACE_REGISTER, .offset = REG_COUNT};
    CHECK(eh_frame_step(&row, now, read_memory, &reads, &outermost) == -EINVAL);
    row.registers[DWARF_RBX] = (struct register_rule){
        .place = PLACE_AT_EXPR, .expr = (const uint8_t *)"\x22", .expr_size = 1};
    CHECK(eh_frame_step(&row, now, read_memory, &reads, &outermost) == -EINVAL);
    assert_memory_equal(before, now, sizeof(now));
    row = plain_row(REG_SP, 32);
    row.registers[REG_IP].place = PLACE_UNDEFINED;
    CHECK(eh_frame_step(&row, now, read_memory, &reads, &outermost) == 0 && outermost);
    assert_memory_equal(before, now, sizeof(now));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_every_width),
        cmocka_unit_test(registers_and_memory),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(the_plt_expression),
        cmocka_unit_test(too_much_and_too_little),
        cmocka_unit_test(a_step_gives_the_callers_registers),
        cmocka_unit_test(a_step_through_expressions),
        cmocka_unit_test(a_step_that_fails_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
