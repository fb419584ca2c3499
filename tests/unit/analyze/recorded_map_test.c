/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/recorded_map.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "sample_recording.h"

#define PAGE 4096u

static struct sample sample;
static struct breakdown breakdown;
static struct fault fault;
static struct sort_rules const usual = {.by = SORT_BY_CATEGORY};

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    breakdown = (struct breakdown){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    breakdown_fini(&breakdown);
    sample_destroy(&sample);
    return 0;
}

static void add(uint64_t page, uint64_t resident, const char *name, enum owner_kind owner,
                stack_id stack)
{
    struct mapping const mapping = {.start = page * PAGE,
                                    .end = (page + 10) * PAGE,
                                    .resident = resident * PAGE,
                                    .name = recording_intern(sample.recording, name),
                                    .stack = stack,
                                    .count = 1,
                                    .rights = MAPPING_READ | MAPPING_WRITE,
                                    .owner = (uint8_t)owner};
    CHECK(vec_push(&sample.recording->mappings.items, mapping));
    sample.recording->mappings.time_ns = 5;
}

TEST(a_recording_without_mappings_says_so)
{
    CHECK(recorded_map_make(sample.recording, &usual, &breakdown, &fault) == -ENODATA);
    CHECK(strstr(fault.text, "has no mappings") != NULL);
}

TEST(mappings_are_sorted_by_whose_they_are)
{
    add(10, 4, "[heap]", OWNER_KEPT, STACK_EMPTY);
    add(30, 2, "", OWNER_STACK, STACK_EMPTY);
    add(50, 1, "/usr/lib/libc.so.6", OWNER_FILE, STACK_EMPTY);
    CHECK(recorded_map_make(sample.recording, &usual, &breakdown, &fault) == 0);
    CHECK(breakdown.total.rss == 7 * PAGE && breakdown.total.size == 30 * PAGE);
    CHECK(breakdown_section_sum(&breakdown, SECTION_ALLOCATOR).rss == 4 * PAGE);
    CHECK(breakdown_section_sum(&breakdown, SECTION_STACKS).rss == 2 * PAGE);
    CHECK(breakdown_section_sum(&breakdown, SECTION_FILE).rss == PAGE);
    CHECK(strcmp(breakdown.regions.items[0].rights, "rw-p") == 0);
}

TEST(one_site_is_told_and_several_are_not)
{
    stack_id const cache = sample.stacks[SITE_CACHE], tree = sample.stacks[SITE_TREE];
    add(10, 1, "", OWNER_OTHER, cache);
    add(20, 1, "", OWNER_OTHER, tree);
    add(30, 1, "", OWNER_OTHER, STACK_EMPTY);
    CHECK(recorded_map_stack(sample.recording, 10 * PAGE, 20 * PAGE) == cache);
    CHECK(recorded_map_stack(sample.recording, 15 * PAGE, 16 * PAGE) == cache);
    CHECK(recorded_map_stack(sample.recording, 20 * PAGE, 40 * PAGE) == tree);
    CHECK(recorded_map_stack(sample.recording, 10 * PAGE, 30 * PAGE) == STACK_EMPTY);
    CHECK(recorded_map_stack(sample.recording, 100 * PAGE, 101 * PAGE) == STACK_EMPTY);
    CHECK(recorded_map_stack(sample.recording, 0, PAGE) == STACK_EMPTY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_recording_without_mappings_says_so, begin, end),
        cmocka_unit_test_setup_teardown(mappings_are_sorted_by_whose_they_are, begin, end),
        cmocka_unit_test_setup_teardown(one_site_is_told_and_several_are_not, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
