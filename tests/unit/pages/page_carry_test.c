/* SPDX-License-Identifier: Apache-2.0 */
/* Cells that are carried into one recording and then into another, as when a program says that
 * it is two. */
#include "pages/page_carry.h"

#include <stdlib.h>

#include "check.h"

static void carry_one(struct page_carry *carry, const struct recording *from, struct recording *to,
                      stack_id stack)
{
    struct bucket bucket = {.begin_ns = 0};
    struct cell cell = {.key = stack, .column = COL_CPU_NS, .value = 1};
    CHECK(page_carry(carry, from, to, &cell, 1, &bucket) == 0);
    assert_int_equal(bucket.cell_count, 1);
    CHECK(bucket.cells[0].key <= stack_table_count(to->stacks));
    free(bucket.cells);
}

TEST(stacks_are_those_of_the_recording_they_go_to)
{
    struct recording *from = recording_create(), *first = recording_create(),
                     *second = recording_create();
    struct page_carry carry = {.to = NULL};
    stack_id stack, other;
    CHECK(recording_name_stack(from, recording_intern(from, "work"), &stack) == 0);
    for (int i = 0; i < 100; i++) { /* so that its number there is none of the other's */
        char name[8] = {'f', (char)('a' + i / 26), (char)('a' + i % 26)};
        CHECK(recording_name_stack(first, recording_intern(first, name), &other) == 0);
    }
    for (int round = 0; round < 3; round++) {
        carry_one(&carry, from, first, stack);
        carry_one(&carry, from, second, stack);
    }
    page_carry_fini(&carry);
    recording_destroy(first);
    recording_destroy(second);
    recording_destroy(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_those_of_the_recording_they_go_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
