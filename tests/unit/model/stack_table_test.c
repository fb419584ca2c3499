/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stack_table.h"

#include <errno.h>

#include "check.h"

static stack_id intern(struct stack_table *table, const uint32_t *outermost_first, size_t depth)
{
    stack_id id = STACK_EMPTY;
    for (size_t i = 0; i < depth; i++)
        CHECK(stack_table_push(table, id, outermost_first[i], &id) == 0);
    return id;
}

static void equal_stacks_share_an_id_and_alike_stacks_share_callers(void **state)
{
    (void)state;
    const uint32_t via_parse[] = {7, 3, 0};
    const uint32_t via_query[] = {7, 4, 0};
    struct stack_table *table = stack_table_create();

    stack_id parse = intern(table, via_parse, 3);
    stack_id query = intern(table, via_query, 3);
    CHECK(parse == 3 && query == 5); /* frame 7 is one link, not two */
    CHECK(intern(table, via_parse, 3) == parse);
    CHECK(stack_table_count(table) == 5);
    CHECK(stack_table_innermost(table, query).frame == 0);
    CHECK(stack_table_innermost(table, query).caller == 4);
    stack_table_destroy(table);
}

static void a_caller_that_is_not_there_is_refused(void **state)
{
    (void)state;
    struct stack_table *table = stack_table_create();
    stack_id id = 77;
    CHECK(stack_table_push(table, 1, 0, &id) == -EINVAL && id == 77);
    CHECK(stack_table_append(table, (struct stack_link){0, 1}) == -EINVAL);
    CHECK(stack_table_innermost(table, 9).caller == STACK_EMPTY);
    stack_table_destroy(table);
}

static void many_stacks_are_all_found_again(void **state)
{
    (void)state;
    struct stack_table *table = stack_table_create();
    stack_id id;
    for (uint32_t i = 0; i < 200000; i++)
        CHECK(stack_table_push(table, i / 3, i % 1000, &id) == 0);
    uint32_t count = stack_table_count(table);
    for (uint32_t i = 0; i < 200000; i++) {
        CHECK(stack_table_push(table, i / 3, i % 1000, &id) == 0);
        struct stack_link link = stack_table_innermost(table, id);
        CHECK(link.caller == i / 3 && link.frame == i % 1000 && link.caller < id);
    }
    CHECK(stack_table_count(table) == count);
    stack_table_destroy(table);
}

static void appended_links_keep_their_place_even_when_known(void **state)
{
    (void)state;
    struct stack_table *table = stack_table_create();
    stack_id id;
    CHECK(stack_table_append(table, (struct stack_link){5, STACK_EMPTY}) == 0);
    CHECK(stack_table_append(table, (struct stack_link){5, STACK_EMPTY}) == 0);
    CHECK(stack_table_append(table, (struct stack_link){6, 2}) == 0);
    CHECK(stack_table_count(table) == 3);
    CHECK(stack_table_push(table, STACK_EMPTY, 5, &id) == 0 && id == 1);
    CHECK(stack_table_push(table, 2, 6, &id) == 0 && id == 3);
    stack_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_share_an_id_and_alike_stacks_share_callers),
        cmocka_unit_test(a_caller_that_is_not_there_is_refused),
        cmocka_unit_test(many_stacks_are_all_found_again),
        cmocka_unit_test(appended_links_keep_their_place_even_when_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
