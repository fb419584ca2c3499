/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stack_table.h"

#include <errno.h>

#include "check.h"
#include "random.h"

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

static void links_from_a_file_keep_their_place_even_when_known(void **state)
{
    (void)state;
    struct stack_table *table = stack_table_create();
    stack_id id;
    struct stack_link *links = stack_table_extend(table, 3);
    CHECK(links && links[1].frame == FRAME_UNKNOWN && links[1].caller == STACK_EMPTY);
    links[0] = links[1] = (struct stack_link){5, STACK_EMPTY};
    links[2] = (struct stack_link){7, 2};
    CHECK(stack_table_from(table, 2)[1].frame == 7);
    stack_table_from(table, 3)->frame = 6;
    CHECK(stack_table_count(table) == 3);
    CHECK(stack_table_push(table, STACK_EMPTY, 5, &id) == 0 && id == 1);
    CHECK(stack_table_push(table, 2, 6, &id) == 0 && id == 3);
    CHECK(stack_table_extend(table, UINT32_MAX) == NULL && stack_table_count(table) == 3);
    stack_table_destroy(table);
}

/* A plain list of links, of equal ones the first. */
struct model {
    struct stack_link links[4000];
    uint32_t count;
};

static stack_id model_push(struct model *model, struct stack_link link)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (model->links[i].frame == link.frame && model->links[i].caller == link.caller)
            return i + 1;
    model->links[model->count++] = link;
    return model->count;
}

static struct stack_link draw_link(struct random *random, uint32_t callers)
{
    return (struct stack_link){.frame = (uint32_t)random_below(random, 3),
                               .caller = (uint32_t)random_below(random, callers + 1)};
}

static void it_holds_what_a_plain_list_holds(void **state)
{
    (void)state;
    struct random random = random_from(1);
    for (unsigned round = 0; round < 20; round++) {
        struct model model = {.count = 0};
        struct stack_table *table = stack_table_create();
        while (model.count < 1000) {
            uint32_t const extra = (uint32_t)random_below(&random, 40);
            struct stack_link *links = stack_table_extend(table, extra);
            CHECK(links || !extra);
            for (uint32_t i = 0; i < extra; i++) {
                links[i] = draw_link(&random, model.count);
                model.links[model.count++] = links[i];
            }
            uint32_t const pushes = (uint32_t)random_below(&random, round % 2 ? 3 : 60);
            for (uint32_t i = 0; i < pushes; i++) {
                struct stack_link const link = draw_link(&random, model.count);
                stack_id id = 0;
                CHECK(stack_table_push(table, link.caller, link.frame, &id) == 0);
                CHECK(id == model_push(&model, link));
            }
            CHECK(stack_table_is_valid(table) && stack_table_count(table) == model.count);
        }
        for (stack_id id = 1; id <= model.count; id++) {
            struct stack_link const link = stack_table_innermost(table, id);
            CHECK(link.frame == model.links[id - 1].frame);
            CHECK(link.caller == model.links[id - 1].caller);
        }
        stack_table_destroy(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_share_an_id_and_alike_stacks_share_callers),
        cmocka_unit_test(a_caller_that_is_not_there_is_refused),
        cmocka_unit_test(many_stacks_are_all_found_again),
        cmocka_unit_test(links_from_a_file_keep_their_place_even_when_known),
        cmocka_unit_test(it_holds_what_a_plain_list_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
