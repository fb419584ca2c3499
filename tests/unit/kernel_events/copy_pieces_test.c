/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/copy_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define SP 0x7ffe00000100ull

static struct copy_pieces pieces;

/* `size` bytes from `address` on, each `fill`. */
static struct agent_copy *make(uint8_t kind, uint32_t number, uint64_t address, uint32_t size,
                               int fill)
{
    struct agent_copy *made = calloc(1, sizeof(*made) + size);
    CHECK(made != NULL);
    made->record.kind = kind;
    made->record.stack = AGENT_STACK_COPY | number;
    made->record.address = address;
    made->registers[REG_SP] = SP;
    made->size = size;
    memset(made->bytes, fill, size);
    return made;
}

static void add(uint32_t number, uint64_t address, uint32_t size, int fill)
{
    struct agent_copy *piece = make(AGENT_PIECE, number, address, size, fill);
    copy_pieces_add(&pieces, piece);
    free(piece);
}

static void expect_joined(uint32_t number, uint32_t size, const char *fills)
{
    struct agent_copy *copy = make(AGENT_COPY, number, 0, 64, 'a');
    const struct agent_copy *whole = copy_pieces_join(&pieces, copy);
    assert_int_equal(whole->size, size);
    assert_int_equal(whole->registers[REG_SP], SP);
    for (uint32_t i = 0; i < size; i++)
        assert_int_equal(whole->bytes[i], fills[i / 64]);
    free(copy);
}

TEST(pieces_follow_the_innermost_one)
{
    add(1 << 10, SP + 64, 64, 'b');
    add(1 << 10, SP + 128, 64, 'c');
    expect_joined(1 << 10, 192, "abc");
    expect_joined(1 << 10, 192, "abc"); /* who was not ready is handed the same again */
}

TEST(the_innermost_one_may_begin_below_the_stack_pointer)
{
    struct agent_copy *copy = make(AGENT_COPY, 9 << 10, 0, 64, 'a');
    copy->below = 32;
    add(9 << 10, SP + 32, 64, 'b');
    assert_int_equal(copy_pieces_join(&pieces, copy)->size, 128);
    free(copy);
}

TEST(those_of_other_processors_come_in_between)
{
    add(2 << 10, SP + 64, 64, 'b');
    add(7 << 10 | 3, SP + 64, 64, 'x');
    add(2 << 10, SP + 128, 64, 'c');
    expect_joined(7 << 10 | 3, 128, "ax");
    expect_joined(2 << 10, 192, "abc");
}

TEST(what_does_not_belong_together_is_not_joined)
{
    add(3 << 10, SP + 64, 64, 'b');
    expect_joined(4 << 10, 64, "a"); /* of another stack */
    add(5 << 10, SP + 4096, 64, 'b');
    expect_joined(5 << 10, 64, "a"); /* not where the innermost ends */
    add(6 << 10, SP + 64, 64, 'b');
    add(6 << 10, SP + 256, 64, 'c'); /* one is missing: the outer one begins anew */
    expect_joined(6 << 10, 64, "a");
}

TEST(no_more_is_kept_than_a_stack_may_have)
{
    for (uint32_t i = 0; i < 2 * AGENT_PIECES_MAX; i++)
        add(8 << 10, SP + 64 + (uint64_t)i * AGENT_PIECE_BYTES, AGENT_PIECE_BYTES, 'b');
    struct agent_copy *copy = make(AGENT_COPY, 8 << 10, 0, 64, 'a');
    CHECK(copy_pieces_join(&pieces, copy)->size <= 64 + AGENT_PIECE_BYTES * AGENT_PIECES_MAX);
    free(copy);
}

static int close_all(void **state)
{
    (void)state;
    copy_pieces_fini(&pieces);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_follow_the_innermost_one),
        cmocka_unit_test(the_innermost_one_may_begin_below_the_stack_pointer),
        cmocka_unit_test(those_of_other_processors_come_in_between),
        cmocka_unit_test(what_does_not_belong_together_is_not_joined),
        cmocka_unit_test(no_more_is_kept_than_a_stack_may_have),
    };
    return cmocka_run_group_tests(tests, NULL, close_all);
}
