/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/call_tree.h"

#include <errno.h>
#include <string.h>

#include "analyze/sites/site_callers.h"
#include "check.h"
#include "sample_recording.h"

#define MIB 1048576

static struct sample sample;
static struct weights weights;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    return weigh_stacks(sample.recording, metric_find("heap.peak"), TIME_ALL, &weights, NULL);
}

static int end(void **state)
{
    (void)state;
    weights_fini(&weights);
    sample_destroy(&sample);
    return 0;
}

static const char *text(string_id id)
{
    return recording_text(sample.recording, id);
}

/* Follows the names down from the root; fails the test when a step is not there. */
static const struct call_node *find(const struct call_tree *tree, const char *const *names)
{
    const struct call_node *node = &tree->nodes.items[0];
    for (; *names; names++) {
        uint32_t child = node->first_child;
        while (child && strcmp(text(tree->nodes.items[child].function), *names) != 0)
            child = tree->nodes.items[child].next_sibling;
        if (!child)
            fail_msg("no %s under %s", *names, text(node->function));
        node = &tree->nodes.items[child];
    }
    return node;
}
#define FIND(tree, ...) find(tree, (const char *const[]){__VA_ARGS__, NULL})

static struct call_tree build(bool bottom_up, enum tree_merge merge)
{
    struct call_tree tree;
    CHECK(call_tree_build(sample.recording, &weights, bottom_up, merge, &tree) == 0);
    CHECK(tree.nodes.items[0].value == weights.total_value);
    CHECK(tree.nodes.items[0].count == weights.total_count);
    return tree;
}

TEST(top_down_goes_from_start_to_the_code_that_asked)
{
    struct call_tree tree = build(false, MERGE_FUNCTION);
    assert_string_equal(text(tree.nodes.items[0].function), "all");
    const struct call_node *main_ = FIND(&tree, "_start", "main");
    CHECK(main_->value == 11538436 && main_->self_value == 0);
    const struct call_node *insert =
        FIND(&tree, "_start", "main", "handle", "store_block", "cache_insert");
    CHECK(insert->value == 10 * MIB && insert->self_count == 10 && insert->first_child == 0);
    CHECK(insert->inlined && insert->line == 88);
    assert_string_equal(text(insert->file), "cache.c");
    CHECK(!FIND(&tree, "_start", "main", "handle", "store_block")->inlined);
    CHECK(FIND(&tree, "_start", "main", "walk", "walk", "walk")->self_value == MIB);
    CHECK(FIND(&tree, "_start", "main", "libplugin.so+0x1234")->self_value == 4000);
    call_tree_fini(&tree);
}

TEST(bottom_up_begins_with_the_code_that_asked)
{
    struct call_tree tree = build(true, MERGE_FUNCTION);
    const struct call_node *root = &tree.nodes.items[0];
    assert_string_equal(text(tree.nodes.items[root->first_child].function), "cache_insert");
    CHECK(FIND(&tree, "cache_insert", "store_block", "handle", "main", "_start")->self_value ==
          10 * MIB);
    CHECK(FIND(&tree, "walk", "walk", "walk", "main")->value == MIB);
    CHECK(FIND(&tree, "tzset_internal", "main")->count == 1);
    call_tree_fini(&tree);
}

TEST(levels_can_be_limited)
{
    struct call_tree tree;
    CHECK(call_tree_build_callers(sample.recording, &weights, MERGE_FUNCTION, 2, &tree) == 0);
    CHECK(tree.nodes.items[0].value == weights.total_value);
    CHECK(FIND(&tree, "cache_insert", "store_block")->self_value == 10 * MIB);
    CHECK(FIND(&tree, "walk", "walk")->first_child == 0);
    call_tree_fini(&tree);
}

TEST(children_come_largest_first)
{
    struct call_tree tree = build(true, MERGE_FUNCTION);
    int64_t last = INT64_MAX;
    size_t seen = 0;
    for (uint32_t i = tree.nodes.items[0].first_child; i; i = tree.nodes.items[i].next_sibling) {
        CHECK(tree.nodes.items[i].value <= last);
        last = tree.nodes.items[i].value;
        seen++;
    }
    CHECK(seen == 4);
    call_tree_fini(&tree);
}

TEST(one_function_with_two_lines_is_one_node_or_two)
{
    struct weights calls;
    CHECK(weigh_stacks(sample.recording, metric_find("heap.calls"), TIME_ALL, &calls, NULL) == 0);
    struct call_tree tree;
    CHECK(call_tree_build(sample.recording, &calls, false, MERGE_FUNCTION, &tree) == 0);
    const struct call_node *handle = FIND(&tree, "_start", "main", "handle");
    CHECK(handle->value == 3010 && handle->line == 0);
    assert_string_equal(text(handle->file), "server.c");
    call_tree_fini(&tree);

    CHECK(call_tree_build(sample.recording, &calls, false, MERGE_LINE, &tree) == 0);
    handle = FIND(&tree, "_start", "main", "handle"); /* the larger of the two comes first */
    CHECK(handle->value == 3000 && handle->line == 55);
    CHECK(tree.nodes.items[handle->next_sibling].line == 40);
    call_tree_fini(&tree);
    weights_fini(&calls);
}

TEST(modules_that_call_themselves_are_one_step)
{
    struct call_tree tree = build(false, MERGE_MODULE);
    const struct call_node *node = FIND(&tree, "ledger-node");
    CHECK(node->value == 11538436 && node->self_value == 11 * MIB);
    CHECK(FIND(&tree, "ledger-node", "libplugin.so")->self_value == 4000);
    CHECK(FIND(&tree, "ledger-node", "libc.so.6")->self_value == 100);
    CHECK(tree.nodes.count == 4);
    call_tree_fini(&tree);
}

TEST(a_stack_is_shown_without_the_allocator)
{
    struct shown_frame shown[8];
    CHECK(stack_show(sample.recording, sample.stacks[SITE_CACHE], shown, 8) == 5);
    assert_string_equal(text(shown[0].function), "cache_insert");
    CHECK(shown[0].inlined && !shown[1].inlined);
    assert_string_equal(text(shown[4].function), "_start");
    CHECK(stack_show(sample.recording, sample.stacks[SITE_PARSE], shown, 1) == 4);
    assert_string_equal(text(shown[0].function), "parse");
    CHECK(stack_show(sample.recording, STACK_EMPTY, shown, 8) == 0);
}

TEST(a_stack_of_nothing_but_the_allocator_is_kept)
{
    stack_id alone;
    struct shown_frame shown[2];
    uint32_t const malloc_frame =
        stack_table_innermost(sample.recording->stacks, sample.stacks[SITE_CACHE]).frame;
    CHECK(stack_table_push(sample.recording->stacks, STACK_EMPTY, malloc_frame, &alone) == 0);
    CHECK(stack_show(sample.recording, alone, shown, 2) == 1);
    assert_string_equal(text(shown[0].function), "malloc");
}

/* An allocator inlined into the code that asked: one frame, of which only the outer line is shown.
 */
TEST(an_inlined_allocator_is_hidden_too)
{
    struct recording *recording = sample.recording;
    struct frame frame = {
        .module = 0, .first_location = (uint32_t)recording->locations.count, .location_count = 2};
    const char *const names[] = {"std::__new_allocator<int>::allocate(unsigned long)", "build"};
    for (int i = 0; i < 2; i++)
        CHECK(vec_push(&recording->locations,
                       (struct location){.function = recording_intern(recording, names[i])}));
    CHECK(vec_push(&recording->frames, frame));
    stack_id stack, main_ = stack_table_innermost(recording->stacks, sample.stacks[SITE_TZ]).caller;
    main_ = stack_table_innermost(recording->stacks, main_).caller;
    CHECK(stack_table_push(recording->stacks, main_, (uint32_t)recording->frames.count - 1,
                           &stack) == 0);
    CHECK(vec_push(&weights.rows, (struct weight){stack, 77, 1, 0}));
    struct call_tree tree;
    CHECK(call_tree_build(recording, &weights, true, MERGE_FUNCTION, &tree) == 0);
    CHECK(FIND(&tree, "build", "main", "_start")->self_value == 77);
    call_tree_fini(&tree);
    CHECK(call_tree_build(recording, &weights, false, MERGE_FUNCTION, &tree) == 0);
    CHECK(FIND(&tree, "_start", "main", "build")->self_value == 77);
    CHECK(FIND(&tree, "_start", "main", "build")->first_child == 0);
    call_tree_fini(&tree);
    struct shown_frame shown[4];
    CHECK(stack_show(recording, stack, shown, 4) == 3);
    assert_string_equal(text(shown[0].function), "build");
}

TEST(weights_without_a_stack_stay_at_the_root)
{
    CHECK(vec_push(&weights.rows, (struct weight){STACK_EMPTY, 5, 1, 0}));
    struct call_tree tree;
    CHECK(call_tree_build(sample.recording, &weights, false, MERGE_FUNCTION, &tree) == 0);
    CHECK(tree.nodes.items[0].self_value == 5);
    CHECK(tree.nodes.items[0].value == weights.total_value + 5);
    call_tree_fini(&tree);
}

/* The tree of one stack with value 1. */
static struct call_tree tree_of(stack_id stack)
{
    struct weights one = {.metric = metric_find("heap.calls")};
    struct call_tree tree;
    CHECK(vec_push(&one.rows, (struct weight){stack, 1, 1, 0}));
    CHECK(call_tree_build(sample.recording, &one, false, MERGE_FUNCTION, &tree) == 0);
    weights_fini(&one);
    return tree;
}

/* There are bytes between the fields, so memcmp says nothing. */
static bool is_same(const struct call_node *a, const struct call_node *b)
{
    return a->function == b->function && a->module == b->module && a->file == b->file &&
           a->line == b->line && a->inlined == b->inlined && a->kind == b->kind &&
           a->value == b->value && a->count == b->count && a->self_value == b->self_value &&
           a->self_count == b->self_count && a->spread == b->spread &&
           a->self_spread == b->self_spread && a->parent == b->parent &&
           a->first_child == b->first_child && a->next_sibling == b->next_sibling &&
           a->left_out == b->left_out;
}

/* What earlier questions left behind changes nothing: of one stack each line is known, of all
 * some are several. */
TEST(a_question_does_not_see_the_ones_before)
{
    struct weights calls;
    struct call_tree all, again;
    struct call_tree first = tree_of(sample.stacks[SITE_PARSE]);
    CHECK(weigh_stacks(sample.recording, metric_find("heap.calls"), TIME_ALL, &calls, NULL) == 0);
    CHECK(call_tree_build(sample.recording, &calls, false, MERGE_FUNCTION, &all) == 0);
    struct call_tree second = tree_of(sample.stacks[SITE_PARSE]);
    CHECK(FIND(&all, "_start", "main", "handle")->line == 0);
    CHECK(FIND(&first, "_start", "main", "handle")->line > 0);
    CHECK(first.nodes.count == second.nodes.count && first.nodes.count < all.nodes.count);
    for (size_t i = 0; i < first.nodes.count; i++)
        CHECK(is_same(&first.nodes.items[i], &second.nodes.items[i]));
    CHECK(call_tree_build(sample.recording, &calls, true, MERGE_FUNCTION, &again) == 0);
    CHECK(again.nodes.items[0].value == all.nodes.items[0].value);
    call_tree_fini(&again);
    call_tree_fini(&all);
    call_tree_fini(&first);
    call_tree_fini(&second);
    weights_fini(&calls);
}

static void check_plugin(const char *name)
{
    struct call_tree tree = tree_of(sample.stacks[SITE_PLUGIN]);
    CHECK(FIND(&tree, "_start", "main", name)->self_value == 1);
    call_tree_fini(&tree);
}

TEST(a_recording_may_grow_between_two_questions)
{
    struct recording *recording = sample.recording;
    check_plugin("libplugin.so+0x1234");
    stack_id added;
    uint32_t const frame = (uint32_t)recording->frames.count;
    struct location const place = {.function = recording_intern(recording, "later"), .line = 7};
    CHECK(vec_push(&recording->frames,
                   (struct frame){.module = MODULE_NONE,
                                  .first_location = (uint32_t)recording->locations.count,
                                  .location_count = 1}));
    CHECK(vec_push(&recording->locations, place));
    CHECK(stack_table_push(recording->stacks, sample.stacks[SITE_PLUGIN], frame, &added) == 0);
    struct call_tree tree = tree_of(added);
    CHECK(FIND(&tree, "_start", "main", "libplugin.so+0x1234", "malloc", "later")->line == 7);
    call_tree_fini(&tree);
}

TEST(a_frame_may_get_a_name_between_two_questions)
{
    struct recording *recording = sample.recording;
    check_plugin("libplugin.so+0x1234");
    struct location const place = {.function = recording_intern(recording, "plugged")};
    vec_each (frame, &recording->frames) {
        if (frame->location_count == 0) {
            frame->first_location = (uint32_t)recording->locations.count;
            frame->location_count = 1;
        }
    }
    CHECK(vec_push(&recording->locations, place));
    check_plugin("plugged");
}

/* A file of a few bytes per frame must not take a million times as many. */
TEST(frames_that_all_have_all_places_are_refused)
{
    struct recording *recording = sample.recording;
    struct call_tree tree;
    for (unsigned i = 0; i < 1000; i++)
        CHECK(vec_push(&recording->locations, (struct location){.function = 1, .line = i}));
    struct frame const frame = {.module = MODULE_NONE,
                                .location_count = (uint32_t)recording->locations.count};
    for (unsigned i = 0; i < 20000; i++)
        CHECK(vec_push(&recording->frames, frame));
    CHECK(call_tree_build(recording, &weights, false, MERGE_FUNCTION, &tree) == -ENOMEM);
}

TEST(nodes_of_one_function_are_of_one_kind)
{
    struct call_tree tree = tree_of(sample.stacks[SITE_TREE]);
    const struct call_node *outer = FIND(&tree, "_start", "main", "walk");
    const struct call_node *inner = FIND(&tree, "_start", "main", "walk", "walk", "walk");
    CHECK(outer->kind == inner->kind && outer->kind < tree.kind_count);
    CHECK(FIND(&tree, "_start", "main")->kind != outer->kind);
    call_tree_fini(&tree);
}

static bool is_never_small(const void *context, int64_t value)
{
    (void)context, (void)value;
    return false;
}

/* Of every site that is chosen the tree is the same as that of all; others are counted. */
static void callers_of_chosen_sites_are_those_of_all(void **state)
{
    (void)state;
    struct call_tree all;
    assert_int_equal(call_tree_build_callers(sample.recording, &weights, MERGE_FUNCTION, 64, &all),
                     0);
    size_t sites = 0;
    for (uint32_t i = all.nodes.items[0].first_child; i; i = all.nodes.items[i].next_sibling)
        sites++;
    CHECK(sites > 1);
    for (uint64_t top = 0; top <= sites; top++) {
        struct site_callers callers;
        struct site_question const question = {
            .merge = MERGE_FUNCTION, .max_levels = 64, .top = top, .is_small = is_never_small};
        assert_int_equal(site_callers_build(sample.recording, &weights, &question, &callers), 0);
        uint32_t theirs = all.nodes.items[0].first_child;
        uint32_t ours = callers.tree.nodes.items[0].first_child;
        for (uint64_t i = 0; i < top; i++) {
            const struct call_node *a = &all.nodes.items[theirs];
            const struct call_node *b = &callers.tree.nodes.items[ours];
            CHECK(a->function == b->function && a->value == b->value && a->count == b->count);
            CHECK((a->first_child == 0) == (b->first_child == 0));
            theirs = a->next_sibling;
            ours = b->next_sibling;
        }
        CHECK(ours == 0);
        int64_t rest = 0;
        for (; theirs; theirs = all.nodes.items[theirs].next_sibling)
            rest += all.nodes.items[theirs].value;
        CHECK(callers.left_out == sites - top && callers.left_out_value == rest);
        CHECK(callers.tree.nodes.count <= all.nodes.count);
        site_callers_fini(&callers);
    }
    call_tree_fini(&all);
}

/* What there is of `all` where nodes under `least` have no children. */
static void compare_main(const struct call_tree *all, uint32_t a, const struct call_tree *cut,
                         uint32_t b, double least)
{
    const struct call_node *whole = &all->nodes.items[a], *part = &cut->nodes.items[b];
    CHECK(whole->function == part->function && whole->value == part->value);
    CHECK(whole->count == part->count);
    if ((double)llabs(whole->value) < least) {
        CHECK(part->first_child == 0);
        return;
    }
    uint32_t theirs = whole->first_child, ours = part->first_child;
    for (; theirs && ours; theirs = all->nodes.items[theirs].next_sibling) {
        compare_main(all, theirs, cut, ours, least);
        ours = cut->nodes.items[ours].next_sibling;
    }
    CHECK(theirs == 0 && ours == 0);
}

static void callers_of_small_callers_can_be_left_out(void **state)
{
    (void)state;
    struct call_tree all, cut;
    assert_int_equal(call_tree_build_callers(sample.recording, &weights, MERGE_FUNCTION, 64, &all),
                     0);
    size_t least_nodes = all.nodes.count;
    for (double share = 0; share < 2; share += 0.125) {
        assert_int_equal(call_tree_build_main_callers(sample.recording, &weights, MERGE_FUNCTION,
                                                      64, share, &cut),
                         0);
        uint32_t b = cut.nodes.items[0].first_child;
        for (uint32_t a = all.nodes.items[0].first_child; a; a = all.nodes.items[a].next_sibling) {
            compare_main(&all, a, &cut, b, share * (double)llabs(all.nodes.items[a].value));
            b = cut.nodes.items[b].next_sibling;
        }
        CHECK(b == 0 && cut.leaves.count == weights.rows.count);
        CHECK(cut.nodes.count <= least_nodes);
        least_nodes = cut.nodes.count;
        call_tree_fini(&cut);
    }
    CHECK(least_nodes < all.nodes.count);
    call_tree_fini(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(top_down_goes_from_start_to_the_code_that_asked, begin,
                                        end),
        cmocka_unit_test_setup_teardown(bottom_up_begins_with_the_code_that_asked, begin, end),
        cmocka_unit_test_setup_teardown(levels_can_be_limited, begin, end),
        cmocka_unit_test_setup_teardown(callers_of_chosen_sites_are_those_of_all, begin, end),
        cmocka_unit_test_setup_teardown(callers_of_small_callers_can_be_left_out, begin, end),
        cmocka_unit_test_setup_teardown(children_come_largest_first, begin, end),
        cmocka_unit_test_setup_teardown(one_function_with_two_lines_is_one_node_or_two, begin, end),
        cmocka_unit_test_setup_teardown(modules_that_call_themselves_are_one_step, begin, end),
        cmocka_unit_test_setup_teardown(a_stack_is_shown_without_the_allocator, begin, end),
        cmocka_unit_test_setup_teardown(a_stack_of_nothing_but_the_allocator_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(an_inlined_allocator_is_hidden_too, begin, end),
        cmocka_unit_test_setup_teardown(weights_without_a_stack_stay_at_the_root, begin, end),
        cmocka_unit_test_setup_teardown(a_question_does_not_see_the_ones_before, begin, end),
        cmocka_unit_test_setup_teardown(a_recording_may_grow_between_two_questions, begin, end),
        cmocka_unit_test_setup_teardown(a_frame_may_get_a_name_between_two_questions, begin, end),
        cmocka_unit_test_setup_teardown(frames_that_all_have_all_places_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(nodes_of_one_function_are_of_one_kind, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
