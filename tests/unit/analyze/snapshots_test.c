/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/snapshots.h"

#include <errno.h>
#include <string.h>

#include "analyze/trees/snapshot_tree.h"
#include "analyze/growth/thin_curve.h"
#include "check.h"
#include "sample_recording.h"

#define MIB 1048576
#define SEC UINT64_C(1000000000)

static struct sample sample;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    return 0;
}

static int end(void **state)
{
    (void)state;
    sample_destroy(&sample);
    return 0;
}

static struct snapshots make(struct snapshot_choice choice)
{
    struct snapshots snapshots;
    struct fault fault = {0};
    choice.metric = choice.metric ? choice.metric : metric_find("heap.live");
    choice.range.to_ns = choice.range.to_ns ? choice.range.to_ns : UINT64_MAX;
    choice.detailed_every = choice.detailed_every ? choice.detailed_every : 10;
    choice.max = choice.max ? choice.max : 100;
    int const err = snapshots_make(sample.recording, &choice, &snapshots, &fault);
    if (err)
        fail_msg("%s", fault.text);
    return snapshots;
}

TEST(ends_of_buckets_and_the_exact_peak_are_there)
{
    struct snapshots made = make((struct snapshot_choice){0});
    const struct snapshot *items = made.items.items;
    CHECK(made.items.count == 5 && made.peak == 2 && made.is_peak_exact);
    CHECK(items[0].time_ns == 0 && items[0].bytes == 0);
    CHECK(items[1].time_ns == 10 * SEC && items[1].bytes == 4 * MIB + 4100);
    CHECK(items[2].time_ns == 18 * SEC && items[2].bytes == 11538436 && items[2].blocks == 14);
    CHECK(items[3].time_ns == 20 * SEC && items[3].bytes == 11538436);
    CHECK(items[4].time_ns == 30 * SEC && items[4].bytes == 2625540);
    CHECK(!items[1].is_detailed && items[2].is_detailed && items[4].is_detailed);
    CHECK(items[2].weights.total_value == 11538436 && items[2].weights.rows.count == 4);
    CHECK(items[4].weights.total_value == 2625540);
    snapshots_fini(&made);
}

TEST(a_range_cuts_the_instants_not_the_levels)
{
    struct snapshots made = make((struct snapshot_choice){.range = {25 * SEC, UINT64_MAX}});
    CHECK(made.items.count == 2 && !made.is_peak_exact && made.peak == 0);
    CHECK(made.items.items[0].bytes == 11538436 && made.items.items[1].bytes == 2625540);
    snapshots_fini(&made);
}

TEST(a_filter_counts_some_stacks_alone)
{
    uint32_t codes[64] = {0};
    codes[sample.stacks[SITE_TREE]] = 1;
    struct snapshots made = make((struct snapshot_choice){.codes = codes, .detailed_every = 1});
    CHECK(made.items.items[1].bytes == 0 && made.items.items[2].bytes == MIB);
    CHECK(!made.is_peak_exact && made.items.items[made.peak].bytes == MIB);
    CHECK(made.items.items[2].weights.rows.count == 1);
    CHECK(made.items.items[4].bytes == MIB / 2 &&
          made.items.items[4].weights.total_value == MIB / 2);
    snapshots_fini(&made);
}

TEST(too_many_are_thinned_and_the_peak_stays)
{
    struct snapshots made = make((struct snapshot_choice){.max = 3});
    CHECK(made.items.count == 3 && made.instants == 5 && made.peak == 1);
    CHECK(made.items.items[1].time_ns == 18 * SEC);
    CHECK(made.items.items[0].time_ns == 0 && made.items.items[2].time_ns == 30 * SEC);
    snapshots_fini(&made);
}

TEST(a_curve_keeps_its_spikes)
{
    struct curve_point points[1000];
    bool keep[1000];
    size_t kept = 0;
    for (size_t i = 0; i < 1000; i++)
        points[i] = (struct curve_point){(double)i, i == 567 ? 1000.0 : i == 801 ? -900.0 : 1.0};
    thin_curve(points, 1000, 50, keep);
    for (size_t i = 0; i < 1000; i++)
        kept += keep[i];
    CHECK(kept == 50 && keep[0] && keep[999] && keep[567] && keep[801]);
}

TEST(only_levels_in_bytes_have_snapshots)
{
    struct fault fault = {0};
    CHECK(strcmp(snapshots_metric(metric_find("heap.peak"), &fault)->name, "heap.live") == 0);
    CHECK(strcmp(snapshots_metric(NULL, &fault)->name, "heap.live") == 0);
    CHECK(strcmp(snapshots_metric(metric_find("maps.live"), &fault)->name, "maps.live") == 0);
    CHECK(!snapshots_metric(metric_find("heap.calls"), &fault) && fault.code == -EINVAL);
}

/* The children of every line add up to it, unless it has none. */
static void check_sums(const struct snapshot_tree *tree)
{
    for (size_t i = 0; i < tree->lines.count; i++) {
        const struct tree_line *line = &tree->lines.items[i];
        int64_t sum = 0, before = INT64_MAX;
        uint32_t children = 0;
        for (size_t k = i + 1; k < tree->lines.count && tree->lines.items[k].depth > line->depth;
             k++) {
            if (tree->lines.items[k].depth != line->depth + 1)
                continue;
            sum += tree->lines.items[k].bytes;
            CHECK(tree->lines.items[k].bytes <= before);
            before = tree->lines.items[k].bytes;
            children++;
        }
        CHECK(children == line->children && (children == 0 || sum == line->bytes));
    }
}

TEST(a_tree_adds_up_at_every_threshold_and_depth)
{
    struct snapshots made = make((struct snapshot_choice){0});
    int64_t const least[] = {0, 101, 5000, 2 * MIB, 100 * MIB};
    for (size_t i = 0; i < sizeof(least) / sizeof(least[0]); i++) {
        for (uint32_t depth = 1; depth < 9; depth++) {
            struct snapshot_tree tree;
            struct tree_limits const limits = {depth, least[i]};
            CHECK(snapshot_tree_build(sample.recording, &made.items.items[made.peak].weights,
                                      limits, &tree) == 0);
            CHECK(tree.lines.items[0].bytes == 11538436);
            check_sums(&tree);
            snapshot_tree_fini(&tree);
        }
    }
    snapshots_fini(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ends_of_buckets_and_the_exact_peak_are_there, begin, end),
        cmocka_unit_test_setup_teardown(a_range_cuts_the_instants_not_the_levels, begin, end),
        cmocka_unit_test_setup_teardown(a_filter_counts_some_stacks_alone, begin, end),
        cmocka_unit_test_setup_teardown(too_many_are_thinned_and_the_peak_stays, begin, end),
        cmocka_unit_test(a_curve_keeps_its_spikes),
        cmocka_unit_test(only_levels_in_bytes_have_snapshots),
        cmocka_unit_test_setup_teardown(a_tree_adds_up_at_every_threshold_and_depth, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
