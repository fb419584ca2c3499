/* SPDX-License-Identifier: Apache-2.0 */
/* eh_frame_program_test.c - tables made by hand: every instruction, and every way to lie. */
#include "unwind/eh_frame.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "guarded.h"

#define TARGET 0x400000ull /* where the header would be in the target */
#define START  0x500000ull /* of the function */
#define LENGTH 0x100u
#define FDE_AT 64
#define CIE_AT 32

/* header, CIE and one FDE; with `cie` and `fde` as their programs. */
struct image {
    uint8_t bytes[512];
    size_t size;
};

static void put(struct image *image, size_t at, const void *bytes, size_t size)
{
    memcpy(image->bytes + at, bytes, size);
    if (at + size > image->size)
        image->size = at + size;
}

static void put_u32(struct image *image, size_t at, uint32_t value)
{
    put(image, at, &value, 4);
}

static void put_u64(struct image *image, size_t at, uint64_t value)
{
    put(image, at, &value, 8);
}

struct program {
    const char *code;
    size_t size;
};
#define PROGRAM(text) ((struct program){text, sizeof(text) - 1})

/* "zR": absolute eight-byte pointers, code in bytes, data in -8, return address in column 16. */
#define CIE_HEAD "\x01zR\0\x01\x78\x10\x01\x00"
#define RSP_8    "\x0c\x07\x08\x90\x01" /* def_cfa rsp+8; offset ra at cfa-8 */

static struct image make_image(struct program cie_head, struct program cie, struct program fde)
{
    struct image image = {.size = 0};
    put(&image, 0, "\x01\x03\x03\x3b", 4);
    put_u32(&image, 4, 0);
    put_u32(&image, 8, 1);
    put_u32(&image, 12, (uint32_t)(START - TARGET));
    put_u32(&image, 16, FDE_AT);
    put_u32(&image, CIE_AT, FDE_AT - CIE_AT - 4);
    put_u32(&image, CIE_AT + 4, 0);
    put(&image, CIE_AT + 8, cie_head.code, cie_head.size);
    put(&image, CIE_AT + 8 + cie_head.size, cie.code, cie.size);
    assert_true(8 + cie_head.size + cie.size <= FDE_AT - CIE_AT);
    put_u32(&image, FDE_AT, (uint32_t)(21 + fde.size));
    put_u32(&image, FDE_AT + 4, FDE_AT + 4 - CIE_AT);
    put_u64(&image, FDE_AT + 8, START);
    put_u64(&image, FDE_AT + 16, LENGTH);
    put(&image, FDE_AT + 24, "\0", 1); /* no augmentation data */
    put(&image, FDE_AT + 25, fde.code, fde.size);
    return image;
}

static int row_of(const struct image *image, uint64_t pc, struct unwind_row *row)
{
    struct guarded copy = guarded_copy(image->bytes, image->size);
    struct eh_view view = {.header = copy.bytes,
                           .low = copy.bytes,
                           .high = copy.bytes + copy.size,
                           .slide = TARGET - (uint64_t)copy.bytes};
    int err = eh_frame_row(&view, pc, row);
    guarded_free(&copy); /* expressions in the row point into it: tests look at their sizes only */
    return err;
}

static int run(struct program fde, uint64_t offset, struct unwind_row *row)
{
    struct image image = make_image(PROGRAM(CIE_HEAD), PROGRAM(RSP_8), fde);
    return row_of(&image, START + offset, row);
}

static bool cfa_is(const struct unwind_row *row, unsigned reg, int64_t offset)
{
    return !row->cfa_is_expr && row->cfa_register == reg && row->cfa_offset == offset;
}

static bool is_at(const struct unwind_row *row, unsigned reg, int offset)
{
    return row->registers[reg].place == PLACE_AT && row->registers[reg].offset == offset;
}

TEST(a_function_covers_its_own_bytes_and_no_other)
{
    struct unwind_row row;
    CHECK(run(PROGRAM(""), 0, &row) == 0);
    CHECK(cfa_is(&row, REG_SP, 8) && is_at(&row, REG_IP, -8));
    CHECK(row.registers[REG_FP].place == PLACE_SAME && !row.signal_frame);
    CHECK(run(PROGRAM(""), LENGTH - 1, &row) == 0);
    CHECK(run(PROGRAM(""), LENGTH, &row) == -ENOENT);
    CHECK(run(PROGRAM(""), (uint64_t)-1, &row) == -ENOENT);
}

TEST(locations_advance_in_every_width)
{
    struct unwind_row row;
    /* advance_loc 1, advance_loc1 2, advance_loc2 3, advance_loc4 4; each with def_cfa_offset */
    struct program all = PROGRAM("\x41\x0e\x10\x02\x02\x0e\x18\x03\x03\x00\x0e\x20"
                                 "\x04\x04\x00\x00\x00\x0e\x28");
    static const int64_t wanted[] = {8, 16, 16, 24, 24, 24, 32, 32, 32, 32, 40, 40};
    for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        CHECK(run(all, i, &row) == 0);
        CHECK(cfa_is(&row, REG_SP, wanted[i]));
    }
}

TEST(the_cfa_can_be_defined_in_every_way)
{
    struct unwind_row row;
    CHECK(run(PROGRAM("\x0c\x06\x10"), 0, &row) == 0 && cfa_is(&row, REG_FP, 16));
    CHECK(run(PROGRAM("\x12\x06\x7e"), 0, &row) == 0 && cfa_is(&row, REG_FP, 16));
    CHECK(run(PROGRAM("\x0d\x06"), 0, &row) == 0 && cfa_is(&row, REG_FP, 8));
    CHECK(run(PROGRAM("\x0e\x80\x02"), 0, &row) == 0 && cfa_is(&row, REG_SP, 256));
    CHECK(run(PROGRAM("\x13\x7d"), 0, &row) == 0 && cfa_is(&row, REG_SP, 24));
    CHECK(run(PROGRAM("\x0f\x03\x76\x78\x06"), 0, &row) == 0);
    CHECK(row.cfa_is_expr && row.cfa_expr_size == 3);
    /* and back from an expression */
    CHECK(run(PROGRAM("\x0f\x03\x76\x78\x06\x0c\x07\x30"), 0, &row) == 0);
    CHECK(cfa_is(&row, REG_SP, 48));
    /* a register that x86-64 does not have cannot be followed, but is no reason to crash */
    CHECK(run(PROGRAM("\x0c\xff\x01\x10"), 0, &row) == 0 && row.cfa_register == REG_COUNT);
}

TEST(registers_can_be_saved_in_every_way)
{
    struct unwind_row row;
    CHECK(run(PROGRAM("\x86\x02"), 0, &row) == 0 && is_at(&row, REG_FP, -16));
    CHECK(run(PROGRAM("\x05\x06\x03"), 0, &row) == 0 && is_at(&row, REG_FP, -24));
    CHECK(run(PROGRAM("\x11\x06\x7f"), 0, &row) == 0 && is_at(&row, REG_FP, 8));
    CHECK(run(PROGRAM("\x2f\x06\x02"), 0, &row) == 0 && is_at(&row, REG_FP, 16));
    CHECK(run(PROGRAM("\x14\x03\x02"), 0, &row) == 0);
    CHECK(row.registers[DWARF_RBX].place == PLACE_IS && row.registers[DWARF_RBX].offset == -16);
    CHECK(run(PROGRAM("\x15\x03\x7f"), 0, &row) == 0);
    CHECK(row.registers[DWARF_RBX].place == PLACE_IS && row.registers[DWARF_RBX].offset == 8);
    CHECK(run(PROGRAM("\x07\x10"), 0, &row) == 0);
    CHECK(row.registers[REG_IP].place == PLACE_UNDEFINED);
    CHECK(run(PROGRAM("\x86\x02\x08\x06"), 0, &row) == 0);
    CHECK(row.registers[REG_FP].place == PLACE_SAME);
    CHECK(run(PROGRAM("\x09\x06\x0c"), 0, &row) == 0);
    CHECK(row.registers[REG_FP].place == PLACE_REGISTER && row.registers[REG_FP].offset == 12);
    CHECK(run(PROGRAM("\x10\x06\x02\x76\x00"), 0, &row) == 0);
    CHECK(row.registers[REG_FP].place == PLACE_AT_EXPR && row.registers[REG_FP].expr_size == 2);
    CHECK(run(PROGRAM("\x16\x06\x02\x76\x00"), 0, &row) == 0);
    CHECK(row.registers[REG_FP].place == PLACE_IS_EXPR);
    CHECK(run(PROGRAM("\x2e\x10\x2d\x00\x86\x02"), 0, &row) == 0 && is_at(&row, REG_FP, -16));
    /* vector registers pass by */
    CHECK(run(PROGRAM("\x91\x02\x05\x40\x03\x07\x30\xd1\x06\x31"), 0, &row) == 0);
    CHECK(cfa_is(&row, REG_SP, 8));
}

TEST(states_are_remembered_and_restored)
{
    struct unwind_row row;
    /* rbp at -16, remember, rbp same, advance 1, restore_state, restore rbp of the CIE at 2 */
    struct program code = PROGRAM("\x0e\x10\x86\x02\x0a\x41\xc6\x0e\x08\x41\x0b\x41\x06\x06");
    CHECK(run(code, 0, &row) == 0 && is_at(&row, REG_FP, -16) && cfa_is(&row, REG_SP, 16));
    CHECK(run(code, 1, &row) == 0 && cfa_is(&row, REG_SP, 8));
    CHECK(row.registers[REG_FP].place == PLACE_SAME);
    CHECK(run(code, 2, &row) == 0 && is_at(&row, REG_FP, -16) && cfa_is(&row, REG_SP, 16));
    CHECK(run(code, 3, &row) == 0 && row.registers[REG_FP].place == PLACE_SAME);
    CHECK(run(PROGRAM("\x0a\x0a\x0b\x0b"), 0, &row) == 0);
    CHECK(run(PROGRAM("\x0b"), 0, &row) == -EINVAL);
    CHECK(run(PROGRAM("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"), 0, &row) == -EINVAL);
}

TEST(what_is_unknown_or_cut_off_is_refused)
{
    struct unwind_row row;
    CHECK(run(PROGRAM("\x3f"), 0, &row) == -EINVAL);
    CHECK(run(PROGRAM("\x01\x00\x00"), 0, &row) == -EINVAL); /* set_loc: nobody emits it */
    CHECK(run(PROGRAM("\x0c\x07"), 0, &row) == -EINVAL);
    CHECK(run(PROGRAM("\x0f\x7f\x76"), 0, &row) == -EINVAL); /* longer than the record */
    CHECK(run(PROGRAM("\x10\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x76"), 0, &row) == -EINVAL);
    CHECK(run(PROGRAM("\x0e\x80\x80\x80"), 0, &row) == -EINVAL);
    /* the same behind the pc asked for does not matter */
    CHECK(run(PROGRAM("\x42\x3f"), 1, &row) == 0);
    /* an offset that no frame has */
    CHECK(run(PROGRAM("\x05\x06\xff\xff\xff\xff\x0f"), 0, &row) == 0);
    CHECK(row.registers[REG_FP].place != PLACE_AT);
}

TEST(augmentations_are_understood)
{
    struct unwind_row row;
    struct image image;
    image = make_image(PROGRAM("\x01zRS\0\x01\x78\x10\x01\x00"), PROGRAM(RSP_8), PROGRAM(""));
    CHECK(row_of(&image, START, &row) == 0 && row.signal_frame);
    /* a personality of four bytes, a language specific area */
    image = make_image(PROGRAM("\x01zPLR\0\x01\x78\x10\x07\x0b\x12\x34\x56\x78\x00\x00"),
                       PROGRAM(RSP_8), PROGRAM(""));
    CHECK(row_of(&image, START, &row) == 0 && cfa_is(&row, REG_SP, 8));
    /* an unknown letter is passed over through the size */
    image =
        make_image(PROGRAM("\x01zRq\0\x01\x78\x10\x03\x00\xaa\xbb"), PROGRAM(RSP_8), PROGRAM(""));
    CHECK(row_of(&image, START, &row) == 0 && cfa_is(&row, REG_SP, 8));
    image = make_image(PROGRAM("\x01"
                               "eh\0\x01\x78\x10"),
                       PROGRAM(RSP_8), PROGRAM(""));
    CHECK(row_of(&image, START, &row) == -EINVAL);
    image = make_image(PROGRAM("\x03zR\0\x01\x78\x10\x01\x00"), PROGRAM(RSP_8), PROGRAM(""));
    CHECK(row_of(&image, START, &row) == 0);
    image = make_image(PROGRAM("\x04zR\0\x01\x78\x10\x01\x00"), PROGRAM(RSP_8), PROGRAM(""));
    CHECK(row_of(&image, START, &row) == -EINVAL); /* version */
    image = make_image(PROGRAM("\x01zR\0\x01\x78\x08\x01\x00"), PROGRAM(RSP_8), PROGRAM(""));
    CHECK(row_of(&image, START, &row) == -EINVAL); /* another return column */
    image = make_image(PROGRAM("\x01zR\0\x01\x78\x10\x7f\x00"), PROGRAM(RSP_8), PROGRAM(""));
    CHECK(row_of(&image, START, &row) == -EINVAL); /* augmentation longer than the record */
}

TEST(lying_lengths_are_refused)
{
    struct unwind_row row;
    struct image good = make_image(PROGRAM(CIE_HEAD), PROGRAM(RSP_8), PROGRAM("\x86\x02"));
    CHECK(row_of(&good, START, &row) == 0);
    static const struct {
        size_t at;
        uint32_t value;
    } lies[] = {{8, 0},           {8, 0xffffffff},      {8, 0x20000000},       {12, 0x7fffffff},
                {16, 0x7fffffff}, {16, 0x80000000},     {16, 0xfffffff0},      {CIE_AT, 0},
                {CIE_AT, 1},      {CIE_AT, 0xfffffffe}, {CIE_AT, 0xffffffff},  {CIE_AT + 4, 1},
                {FDE_AT, 0},      {FDE_AT, 3},          {FDE_AT, 0xfffffffe},  {FDE_AT, 0xffffffff},
                {FDE_AT + 4, 0},  {FDE_AT + 4, 1},      {FDE_AT + 4, 0x10000}, {FDE_AT + 4, 69}};
    for (unsigned i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        struct image image = good;
        put_u32(&image, lies[i].at, lies[i].value);
        int err = row_of(&image, START, &row);
        if (err != -ENOENT && err != -EINVAL)
            fail_msg("lie %u was believed: %d", i, err);
    }
    struct image image = good;
    image.bytes[0] = 2;
    CHECK(row_of(&image, START, &row) == -ENOENT);
    image = good;
    image.bytes[3] = 0x1b;
    CHECK(row_of(&image, START, &row) == -ENOENT);
}

TEST(every_cut_is_survived)
{
    struct unwind_row row;
    struct image good = make_image(PROGRAM(CIE_HEAD), PROGRAM(RSP_8), PROGRAM("\x41\x86\x02\x42"));
    for (size_t size = 0; size < good.size; size++) {
        struct image image = good;
        image.size = size;
        CHECK(row_of(&image, START, &row) < 0);
    }
    CHECK(row_of(&good, START, &row) == 0);
}

TEST(every_flipped_byte_is_survived)
{
    struct image good = make_image(PROGRAM(CIE_HEAD), PROGRAM(RSP_8),
                                   PROGRAM("\x41\x0e\x10\x86\x02\x0f\x03\x76\x78\x06\x0a\x0b"));
    for (size_t at = 0; at < good.size; at++) {
        for (unsigned value = 0; value < 256; value++) {
            struct unwind_row row;
            struct image image = good;
            image.bytes[at] = (uint8_t)value;
            int err = row_of(&image, START + 1, &row);
            CHECK(err == 0 || err == -ENOENT || err == -EINVAL);
        }
    }
}

/* The same without the header. */
static struct eh_view list_of(const struct guarded *copy)
{
    return (struct eh_view){.header = copy->bytes,
                            .low = copy->bytes,
                            .high = copy->bytes + copy->size,
                            .slide = TARGET - (uint64_t)copy->bytes};
}

TEST(functions_are_listed_without_a_header)
{
    struct image image = make_image(PROGRAM(CIE_HEAD), PROGRAM(RSP_8), PROGRAM("\x41\x0e\x10"));
    put_u32(&image, image.size, 0); /* as the linker ends it */
    struct guarded copy = guarded_copy(image.bytes + CIE_AT, image.size - CIE_AT);
    struct eh_view const view = list_of(&copy);
    struct eh_entry entry;
    struct unwind_row row;
    uint32_t offset = 0;
    CHECK(eh_frame_next(&view, &offset, &entry));
    CHECK(entry.start == START && entry.end == START + LENGTH);
    assert_int_equal(entry.offset, FDE_AT - CIE_AT);
    CHECK(eh_frame_row_at(&view, entry.offset, START + 1, &row) == 0);
    assert_int_equal(row.cfa_offset, 16);
    assert_int_equal(eh_frame_row_at(&view, entry.offset, START + LENGTH, &row), -ENOENT);
    CHECK(!eh_frame_next(&view, &offset, &entry));
    guarded_free(&copy);
}

TEST(tables_for_debuggers_are_understood)
{
    struct image image = make_image(PROGRAM("\x04\0\x08\0\x01\x78\x10"), PROGRAM(RSP_8 "\0\0\0"),
                                    PROGRAM("\x41\x0e\x10"));
    put_u32(&image, CIE_AT + 4, UINT32_MAX);
    put_u32(&image, FDE_AT + 4, 0); /* where the CIE is, from the beginning */
    /* No augmentation: what was its length is a nop. */
    struct guarded copy = guarded_copy(image.bytes + CIE_AT, image.size - CIE_AT);
    struct eh_view view = list_of(&copy);
    struct eh_entry entry;
    struct unwind_row row;
    uint32_t offset = 0;
    view.is_debug_frame = true;
    CHECK(eh_frame_next(&view, &offset, &entry));
    CHECK(entry.start == START && entry.end == START + LENGTH);
    CHECK(eh_frame_row_at(&view, entry.offset, START, &row) == 0);
    assert_int_equal(row.cfa_offset, 8);
    CHECK(eh_frame_row_at(&view, entry.offset, START + 1, &row) == 0);
    assert_int_equal(row.cfa_offset, 16);
    guarded_free(&copy);
}

TEST(every_flipped_byte_of_a_list_is_survived)
{
    struct image good = make_image(PROGRAM(CIE_HEAD), PROGRAM(RSP_8), PROGRAM("\x41\x0e\x10"));
    for (size_t at = CIE_AT; at < good.size; at++) {
        for (unsigned value = 0; value < 256; value += 5) {
            struct image image = good;
            struct eh_entry entry;
            struct unwind_row row;
            uint32_t offset = 0;
            image.bytes[at] ^= (uint8_t)value;
            struct guarded copy = guarded_copy(image.bytes + CIE_AT, image.size - CIE_AT);
            struct eh_view view = list_of(&copy);
            view.is_debug_frame = value % 2;
            for (unsigned count = 0; eh_frame_next(&view, &offset, &entry); count++) {
                CHECK(count < 10);
                (void)eh_frame_row_at(&view, entry.offset, entry.start, &row);
            }
            guarded_free(&copy);
        }
    }
}

TEST(endless_programs_are_refused)
{
    static uint8_t bytes[FDE_AT + 25 + 80000];
    struct image const image =
        make_image(PROGRAM(CIE_HEAD), PROGRAM(RSP_8), PROGRAM("\x41\x0e\x10"));
    struct eh_view const view = {.header = bytes,
                                 .low = bytes,
                                 .high = bytes + sizeof(bytes),
                                 .slide = TARGET - (uint64_t)bytes};
    struct unwind_row row;
    uint32_t size = 21 + 60000;
    memcpy(bytes, image.bytes, image.size);
    memcpy(bytes + FDE_AT, &size, 4);
    CHECK(eh_frame_row(&view, START + 1, &row) == 0);
    size = 21 + 70000;
    memcpy(bytes + FDE_AT, &size, 4);
    assert_int_equal(eh_frame_row(&view, START + 1, &row), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_covers_its_own_bytes_and_no_other),
        cmocka_unit_test(locations_advance_in_every_width),
        cmocka_unit_test(the_cfa_can_be_defined_in_every_way),
        cmocka_unit_test(registers_can_be_saved_in_every_way),
        cmocka_unit_test(states_are_remembered_and_restored),
        cmocka_unit_test(what_is_unknown_or_cut_off_is_refused),
        cmocka_unit_test(augmentations_are_understood),
        cmocka_unit_test(lying_lengths_are_refused),
        cmocka_unit_test(every_cut_is_survived),
        cmocka_unit_test(every_flipped_byte_is_survived),
        cmocka_unit_test(functions_are_listed_without_a_header),
        cmocka_unit_test(tables_for_debuggers_are_understood),
        cmocka_unit_test(every_flipped_byte_of_a_list_is_survived),
        cmocka_unit_test(endless_programs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
