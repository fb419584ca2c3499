/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of the largest nodes is laid out as the whole tree is, cut to as many. */
#include "report/flame/flame_layout.h"

#include <stdio.h>
#include <string.h>

#include "analyze/sites/select_largest.h"
#include "base/hash.h"
#include "check.h"
#include "folded_recording.h"

static struct recording *recording;
static struct weights weights;

static int begin(void **state)
{
    (void)state;
    recording = folded_create();
    for (uint64_t i = 0; i < 400; i++) {
        char stack[300] = "main";
        uint64_t const depth = 1 + hash_mix(i) % 12;
        for (uint64_t at = 0; at < depth; at++) {
            size_t const used = strlen(stack);
            snprintf(stack + used, sizeof(stack) - used, ";f%u",
                     (unsigned)(hash_mix(i * 31 + at) % (3 + at)));
        }
        folded_add(recording, stack, COL_HEAP_BYTES, (int64_t)(1 + hash_mix(i + 7) % 1000));
    }
    return weigh_stacks(recording, metric_find("heap.allocated"), TIME_ALL, &weights, NULL);
}

static int end(void **state)
{
    (void)state;
    weights_fini(&weights);
    recording_destroy(recording);
    return 0;
}

static void check_same_layout(bool bottom_up, uint32_t most)
{
    struct call_tree whole, largest;
    struct flame_layout a, b;
    struct flame_limits const limits = {.max_depth = 3, .max_frames = most};
    CHECK(call_tree_build(recording, &weights, bottom_up, MERGE_FUNCTION, &whole) == 0);
    struct tree_cut const cut = {bottom_up, MERGE_FUNCTION, most};
    CHECK(call_tree_build_largest(recording, &weights, cut, &largest) == 0);
    CHECK(largest.nodes.count <= most || most >= whole.nodes.count);
    size_t nodes = largest.nodes.count;
    vec_each (node, &largest.nodes)
        nodes += node->left_out;
    CHECK(nodes == whole.nodes.count);
    CHECK(flame_layout_build(&whole, &limits, &a) == 0);
    CHECK(flame_layout_build(&largest, &limits, &b) == 0);
    CHECK(a.total == b.total && a.hidden == b.hidden && a.frames.count == b.frames.count);
    for (size_t i = 0; i < a.frames.count; i++) {
        const struct flame_frame *left = &a.frames.items[i], *right = &b.frames.items[i];
        CHECK(left->depth == right->depth && left->hidden == right->hidden);
        CHECK(left->start == right->start && left->value == right->value);
        CHECK(left->count == right->count);
        CHECK(whole.nodes.items[left->node].function == largest.nodes.items[right->node].function);
    }
    flame_layout_fini(&a);
    flame_layout_fini(&b);
    call_tree_fini(&whole);
    call_tree_fini(&largest);
}

TEST(the_largest_nodes_are_laid_out_as_all_of_them_cut)
{
    for (uint32_t most = 1; most < 4000; most = most * 3 / 2 + 1) {
        check_same_layout(false, most);
        check_same_layout(true, most);
    }
}

TEST(what_is_left_out_is_known_by_module)
{
    struct call_tree tree;
    int64_t sum = 0;
    struct tree_cut const cut = {false, MERGE_FUNCTION, 20};
    CHECK(call_tree_build_largest(recording, &weights, cut, &tree) == 0);
    vec_each (node, &tree.nodes)
        sum += node->self_value;
    CHECK(sum < weights.total_value && tree.left_out.count == 1);
    assert_string_equal(recording_text(recording, tree.left_out.items[0].module), "/bin/program");
    CHECK(sum + tree.left_out.items[0].self_value == weights.total_value);
    CHECK(tree.leaves.count == weights.rows.count);
    vec_each (leaf, &tree.leaves)
        CHECK(*leaf < tree.nodes.count);
    call_tree_fini(&tree);
}

TEST(the_value_at_a_rank_is_found_without_sorting)
{
    uint64_t values[5000], copy[5000];
    for (size_t i = 0; i < 5000; i++)
        values[i] = hash_mix(i) >> (1 + hash_mix(i + 1) % 63);
    for (size_t rank = 0; rank < 5000; rank += 617) {
        memcpy(copy, values, sizeof(values));
        uint64_t const found = (uint64_t)select_largest(copy, 5000, rank);
        size_t larger = 0, equal = 0;
        for (size_t i = 0; i < 5000; i++) {
            larger += values[i] > found;
            equal += values[i] == found;
        }
        CHECK(larger <= rank && rank < larger + equal);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_nodes_are_laid_out_as_all_of_them_cut),
        cmocka_unit_test(what_is_left_out_is_known_by_module),
        cmocka_unit_test(the_value_at_a_rank_is_found_without_sorting),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
