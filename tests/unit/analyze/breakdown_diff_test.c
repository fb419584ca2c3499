/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/breakdown_diff.h"

#include "check.h"

static void add(struct breakdown *breakdown, const char *label, const char *item, uint64_t rss,
                uint64_t swap)
{
    struct breakdown_leaf const leaf = {
        .section = SECTION_FILE, .label = label, .item = item, .bytes = {.rss = rss, .swap = swap}};
    CHECK(vec_push(&breakdown->leaves, leaf));
}

TEST(parts_are_matched_by_name_and_the_largest_change_is_first)
{
    struct breakdown before = {.pid = 1}, after = {.pid = 1};
    struct breakdown_diff diff;
    add(&before, "Files", "gone", 5000, 0);
    add(&before, "Files", "same", 7, 0);
    add(&before, "Files", "grew", 100, 9);
    add(&after, "Files", "same", 7, 0);
    add(&after, "Files", "new", 4000, 0);
    add(&after, "Files", "grew", 300, 1);
    CHECK(breakdown_diff_make(&diff, &before, &after, FIGURE_RSS) == 0 && diff.changes.count == 4);
    assert_string_equal(diff.changes.items[0].item, "gone");
    CHECK(breakdown_change_of(&diff.changes.items[0], FIGURE_RSS) == -5000);
    assert_string_equal(diff.changes.items[1].item, "new");
    CHECK(breakdown_change_of(&diff.changes.items[1], FIGURE_RSS) == 4000);
    CHECK(breakdown_change_of(&diff.changes.items[2], FIGURE_RSS) == 200);
    assert_string_equal(diff.changes.items[3].item, "same");
    breakdown_diff_fini(&diff);
    CHECK(breakdown_diff_make(&diff, &before, &after, FIGURE_SWAP) == 0);
    assert_string_equal(diff.changes.items[0].item, "grew");
    breakdown_diff_fini(&diff);
    breakdown_fini(&before);
    breakdown_fini(&after);
}

TEST(nothing_and_nothing_is_no_change)
{
    struct breakdown none = {.pid = 1};
    struct breakdown_diff diff;
    CHECK(breakdown_diff_make(&diff, &none, &none, FIGURE_RSS) == 0 && diff.changes.count == 0);
    breakdown_diff_fini(&diff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_matched_by_name_and_the_largest_change_is_first),
        cmocka_unit_test(nothing_and_nothing_is_no_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
