/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/memory_look.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

static struct breakdown breakdown;
static struct memory_look look;

static void add_leaf(enum breakdown_section section, const char *label, const char *item,
                     uint64_t rss)
{
    struct breakdown_leaf const leaf = {
        .section = section, .label = label, .item = item, .bytes = {.size = 2 * rss, .rss = rss}};
    CHECK(vec_push(&breakdown.leaves, leaf));
    memory_bytes_add(&breakdown.total, &leaf.bytes);
}

static int begin(void **state)
{
    (void)state;
    breakdown = (struct breakdown){0};
    look = (struct memory_look){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    memory_look_fini(&look);
    breakdown_fini(&breakdown);
    return 0;
}

TEST(items_of_one_label_are_one_subsystem)
{
    add_leaf(SECTION_FILE, "Shared Libraries", "libc.so.6", 4096);
    add_leaf(SECTION_FILE, "Shared Libraries", "libm.so.6", 8192);
    add_leaf(SECTION_ANONYMOUS, "Read-Write", "", 100);
    CHECK(memory_look_sum(&look, &breakdown) == 0);
    CHECK(look.is_known && look.has_shares && look.subsystems.count == 2);
    CHECK(strcmp(look.subsystems.items[0].name, "Shared Libraries") == 0);
    CHECK(look.subsystems.items[0].bytes.rss == 12288);
    CHECK(look.total.rss == 12388);
}

TEST(limits_are_no_memory)
{
    struct inside_view *view = breakdown_inside(&breakdown, "Go");
    inside_bytes(view, "heap.live", 5, "", "");
    inside_bytes(view, "memory_limit", 7, "", "");
    CHECK(memory_look_sum(&look, &breakdown) == 0 && look.inside.count == 2);
    CHECK(!look.inside.items[0].is_limit && look.inside.items[1].is_limit);
}

TEST(what_the_kernel_counts_besides_is_told)
{
    add_leaf(SECTION_ANONYMOUS, "Read-Write", "", 1000);
    breakdown.rss_before = 900;
    breakdown.rss_after = 1100;
    CHECK(memory_look_sum(&look, &breakdown) == 0 && look.unattributed == 0);
    breakdown.rss_after = 700;
    CHECK(memory_look_sum(&look, &breakdown) == 0 && look.unattributed == -300);
    breakdown.rss_after = 1100;
    breakdown.rss_before = 1100;
    CHECK(memory_look_sum(&look, &breakdown) == 0 && look.unattributed == 100);
}

TEST(any_number_of_names_makes_few_subsystems)
{
    char names[1000][24];
    uint64_t sum = 0;
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(names[i], sizeof(names[i]), "slab-%u", i);
        add_leaf(SECTION_NAMED, names[i], "", 5000 - i);
    }
    add_leaf(SECTION_STACKS, "Main", "", 7);
    CHECK(memory_look_sum(&look, &breakdown) == 0);
    CHECK(look.subsystems.count == SUBSYSTEMS_MOST + 2);
    vec_each (part, &look.subsystems)
        sum += part->bytes.rss;
    CHECK(sum == breakdown.total.rss);
    CHECK(strcmp(look.subsystems.items[SUBSYSTEMS_MOST].name, "other") == 0);
}

TEST(a_new_look_forgets_the_old_one)
{
    add_leaf(SECTION_OTHER, "", "", 1);
    CHECK(memory_look_sum(&look, &breakdown) == 0);
    breakdown.source = BREAKDOWN_PAGEMAP;
    CHECK(memory_look_sum(&look, &breakdown) == 0);
    CHECK(look.subsystems.count == 1 && !look.has_shares);
    CHECK(strcmp(look.subsystems.items[0].name, "unnamed") == 0);
}

TEST(runtimes_tell_bytes_once_each)
{
    struct inside_view *view = breakdown_inside(&breakdown, "Go");
    inside_bytes(view, "heap.live", 5, "", "");
    inside_bytes(view, "heap.live", 6, "", "");
    inside_count(view, "gc.cycles", 7, "", "");
    CHECK(memory_look_sum(&look, &breakdown) == 0);
    CHECK(look.inside.count == 1 && look.inside.items[0].bytes == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(items_of_one_label_are_one_subsystem, begin, end),
        cmocka_unit_test_setup_teardown(limits_are_no_memory, begin, end),
        cmocka_unit_test_setup_teardown(what_the_kernel_counts_besides_is_told, begin, end),
        cmocka_unit_test_setup_teardown(any_number_of_names_makes_few_subsystems, begin, end),
        cmocka_unit_test_setup_teardown(a_new_look_forgets_the_old_one, begin, end),
        cmocka_unit_test_setup_teardown(runtimes_tell_bytes_once_each, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
