/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/diff_tree.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/diff/diff_scale.h"
#include "check.h"
#include "folded_recording.h"
#include "model/sampling.h"

#define MS INT64_C(1000000)

struct pair {
    struct recording *recordings[2];
    struct weights weights[2];
    struct diff_side before, after;
    const char *metric;
};

static struct pair pair_create(const char *metric)
{
    struct pair pair = {.recordings = {folded_create(), folded_create()}, .metric = metric};
    return pair;
}

static void add_samples(struct recording *recording, const char *stack, int64_t count)
{
    folded_add(recording, stack, COL_CPU_SAMPLES, count);
    folded_add(recording, stack, COL_CPU_NS, count * 10 * MS);
}

static void pair_weigh(struct pair *pair)
{
    for (int i = 0; i < 2; i++)
        CHECK(weigh_stacks(pair->recordings[i], metric_find(pair->metric), TIME_ALL,
                           &pair->weights[i], NULL) == 0);
    pair->before = (struct diff_side){pair->recordings[0], &pair->weights[0]};
    pair->after = (struct diff_side){pair->recordings[1], &pair->weights[1]};
}

static void pair_destroy(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        weights_fini(&pair->weights[i]);
        recording_destroy(pair->recordings[i]);
    }
}

static struct diff_tree build(const struct pair *pair, double factor, bool bottom_up,
                              struct stack_union *all)
{
    struct diff_tree tree;
    struct diff_noise const noise = diff_noise_of(&pair->before, &pair->after, factor);
    CHECK(stack_union_build(pair->before, pair->after, all) == 0);
    CHECK(diff_tree_build(all, &noise, bottom_up, &tree) == 0);
    return tree;
}

static const struct diff_node *find(const struct diff_tree *tree, const struct stack_union *all,
                                    const char *function)
{
    for (size_t i = 0; i < tree->nodes.count; i++)
        if (strcmp(recording_text(all->recording, tree->tree.nodes.items[i].function), function) ==
            0)
            return &tree->nodes.items[i];
    fail_msg("no %s", function);
    return NULL;
}

/* What is inside a node is all of it but its own, on both sides and in width. */
static void check_sums(const struct diff_tree *tree)
{
    for (size_t i = 0; i < tree->nodes.count; i++) {
        int64_t before = tree->nodes.items[i].self.before, after = tree->nodes.items[i].self.after;
        int64_t width = tree->tree.nodes.items[i].self_value;
        for (uint32_t k = tree->tree.nodes.items[i].first_child; k;
             k = tree->tree.nodes.items[k].next_sibling) {
            before += tree->nodes.items[k].all.before;
            after += tree->nodes.items[k].all.after;
            width += tree->tree.nodes.items[k].value;
        }
        CHECK(before == tree->nodes.items[i].all.before);
        CHECK(after == tree->nodes.items[i].all.after);
        CHECK(width == tree->tree.nodes.items[i].value);
    }
}

TEST(a_frame_has_the_change_of_all_it_calls)
{
    struct pair pair = pair_create("cpu.on");
    struct stack_union all;
    add_samples(pair.recordings[0], "main;handle;parse", 400);
    add_samples(pair.recordings[0], "main;compress;deflate", 50);
    add_samples(pair.recordings[1], "main;handle;parse", 900);
    add_samples(pair.recordings[1], "main;handle;verify", 60);
    pair_weigh(&pair);
    for (int bottom_up = 0; bottom_up < 2; bottom_up++) {
        struct diff_tree tree = build(&pair, 1, bottom_up, &all);
        check_sums(&tree);
        CHECK(tree.nodes.items[0].all.before == 4500 * MS);
        CHECK(tree.nodes.items[0].all.after == 9600 * MS);
        CHECK(tree.tree.nodes.items[0].value == 14100 * MS);
        CHECK((int64_t)tree.grown == 5600 * MS && (int64_t)tree.shrunk == 500 * MS);
        CHECK(find(&tree, &all, "parse")->change == CHANGE_GREW_3);
        CHECK(find(&tree, &all, "verify")->change == CHANGE_NEW);
        CHECK(find(&tree, &all, "deflate")->change == CHANGE_GONE);
        if (!bottom_up) {
            CHECK(find(&tree, &all, "handle")->all.before ==
                  4000 * MS); /* though its own is none */
            CHECK(find(&tree, &all, "handle")->change == CHANGE_GREW_3);
            CHECK(find(&tree, &all, "compress")->change == CHANGE_GONE);
        }
        diff_tree_fini(&tree);
        stack_union_fini(&all);
    }
    pair_destroy(&pair);
}

TEST(what_may_be_chance_is_noise)
{
    static const struct {
        int64_t before, after;
        enum diff_change change;
    } cases[] = {
        {100, 100, CHANGE_NONE},    {100, 120, CHANGE_NOISE},
        {100, 140, CHANGE_GREW_2},  {10000, 9000, CHANGE_SHRANK_2},
        {0, 5, CHANGE_NOISE},       {0, 6, CHANGE_NEW},
        {5, 0, CHANGE_NOISE},       {6, 0, CHANGE_GONE},
        {100, 10, CHANGE_SHRANK_4}, {100000, 95000, CHANGE_SHRANK_1},
        {100, 301, CHANGE_GREW_4},  {100, 50, CHANGE_SHRANK_3},
    };
    struct diff_noise const noise = {NOISE_SAMPLES, 1, (double)(10 * MS), (double)(10 * MS), 0, 0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diff_values const values = {cases[i].before * 10 * MS, cases[i].after * 10 * MS,
                                           cases[i].before, cases[i].after};
        if (diff_noise_judge(&noise, &values) != cases[i].change)
            fail_msg("%d to %d is %d", (int)cases[i].before, (int)cases[i].after,
                     (int)diff_noise_judge(&noise, &values));
    }
}

/* Two runs of the same thing, sampled: of the functions, no more than 5 in 100 and some may look
 * different. */
TEST(two_samplings_of_one_program_differ_by_chance_only)
{
    enum { FUNCTIONS = 2000, MEAN = 40 };
    uint64_t luck = 88172645463325252u;
    int wrong = 0;
    struct diff_noise const noise = {NOISE_SAMPLES, 1, 1, 1, 0, 0};
    for (int i = 0; i < FUNCTIONS; i++) {
        int64_t counts[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < MEAN * 20; k++) { /* a sample hits with a chance of 1 in 20 */
                luck ^= luck << 13;
                luck ^= luck >> 7;
                luck ^= luck << 17;
                counts[side] += (luck >> 33) % 20 == 0;
            }
        }
        struct diff_values const values = {counts[0], counts[1], counts[0], counts[1]};
        wrong += diff_noise_judge(&noise, &values) > CHANGE_NOISE;
    }
    CHECK(wrong < FUNCTIONS * 6 / 100);
    CHECK(wrong > FUNCTIONS / 100); /* nor is everything called chance */
}

TEST(exact_metrics_have_no_noise)
{
    struct pair pair = pair_create("cpu.off");
    struct stack_union all;
    folded_add(pair.recordings[0], "main;read", COL_OFFCPU_NS, 100);
    folded_add(pair.recordings[1], "main;read", COL_OFFCPU_NS, 101);
    pair_weigh(&pair);
    struct diff_tree tree = build(&pair, 1, false, &all);
    CHECK(tree.noise.kind == NOISE_NONE);
    CHECK(find(&tree, &all, "read")->change == CHANGE_GREW_1);
    diff_tree_fini(&tree);
    stack_union_fini(&all);
    pair_destroy(&pair);
}

TEST(sampled_blocks_have_the_error_of_their_rate)
{
    struct pair pair = pair_create("heap.allocated");
    struct diff_values const values = {100 << 20, 100 << 20, 100 << 10, 100 << 10};
    folded_add(pair.recordings[0], "main;f", COL_HEAP_BYTES, 100 << 20);
    folded_add(pair.recordings[1], "main;f", COL_HEAP_BYTES, 100 << 20);
    pair_weigh(&pair);
    CHECK(diff_noise_of(&pair.before, &pair.after, 1).kind == NOISE_NONE);
    pair.recordings[1]->quality.sample_rate = 512 << 10;
    struct diff_noise const noise = diff_noise_of(&pair.before, &pair.after, 1);
    CHECK(noise.kind == NOISE_BLOCKS);
    struct sample_estimate const estimate = {100 << 20, 100 << 10, SAMPLE_SPREAD_UNKNOWN,
                                             512 << 10};
    CHECK((uint64_t)diff_noise_error(&noise, &values) == sample_error(&estimate));
    pair_destroy(&pair);
}

TEST(the_older_side_is_scaled)
{
    struct pair pair = pair_create("cpu.on");
    struct stack_union all;
    struct fault fault = {0};
    double factor;
    add_samples(pair.recordings[0], "main;f", 1000);
    add_samples(pair.recordings[1], "main;f", 500);
    pair.recordings[1]->duration_ns /= 2;
    pair.recordings[1]->buckets.items[0].end_ns /= 2;
    pair_weigh(&pair);
    CHECK(diff_scale_factor(SCALE_TIME, &pair.before, &pair.after, &factor, &fault) == 0);
    CHECK(factor == 0.5);
    CHECK(diff_scale_factor(SCALE_TOTAL, &pair.before, &pair.after, &factor, &fault) == 0);
    CHECK(factor == 0.5);
    struct diff_tree tree = build(&pair, factor, false, &all);
    CHECK(find(&tree, &all, "f")->change == CHANGE_NONE);
    CHECK(tree.tree.nodes.items[0].value == 10000 * MS);
    diff_tree_fini(&tree);
    stack_union_fini(&all);
    pair_destroy(&pair);
}

TEST(levels_have_no_rate)
{
    struct pair pair = pair_create("heap.live");
    struct fault fault = {0};
    double factor;
    pair_weigh(&pair);
    CHECK(diff_scale_factor(SCALE_TIME, &pair.before, &pair.after, &factor, &fault) == -EINVAL);
    CHECK(strstr(fault.text, "heap.live does not add up over time"));
    CHECK(diff_scale_factor(SCALE_TOTAL, &pair.before, &pair.after, &factor, &fault) == -EINVAL);
    pair_destroy(&pair);
}

TEST(clones_and_versions_are_the_same_function)
{
    struct pair pair = pair_create("cpu.on");
    struct stack_union all;
    add_samples(pair.recordings[0], "main;/lib/libz.so.1.2`deflate.constprop.0", 100);
    add_samples(pair.recordings[1], "main;/usr/lib/libz.so.1.3`deflate", 100);
    pair_weigh(&pair);
    struct diff_tree tree = build(&pair, 1, false, &all);
    CHECK(tree.nodes.count == 3); /* all, main, deflate */
    CHECK(find(&tree, &all, "deflate")->change == CHANGE_NONE);
    diff_tree_fini(&tree);
    stack_union_fini(&all);
    pair_destroy(&pair);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_has_the_change_of_all_it_calls),
        cmocka_unit_test(what_may_be_chance_is_noise),
        cmocka_unit_test(two_samplings_of_one_program_differ_by_chance_only),
        cmocka_unit_test(exact_metrics_have_no_noise),
        cmocka_unit_test(sampled_blocks_have_the_error_of_their_rate),
        cmocka_unit_test(the_older_side_is_scaled),
        cmocka_unit_test(levels_have_no_rate),
        cmocka_unit_test(clones_and_versions_are_the_same_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
