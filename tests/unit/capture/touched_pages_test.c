/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/touched_pages.h"

#include "check.h"

#define BASE 0x7f0000000000ull
#define PAGE 4096ull

/* Every other page is of 8, the rest of 9. */
static uint32_t find(const void *book, uint64_t address)
{
    (void)book;
    return 8 + address / PAGE % 2;
}

static struct touched_pages begin(void)
{
    return (struct touched_pages){.touchers = {NULL, find}};
}

TEST(pages_add_up_by_kind_and_toucher)
{
    struct touched_pages touched = begin();
    touched_pages_add(&touched, OWNER_OTHER, BASE, BASE + 3 * PAGE);
    touched_pages_add(&touched, OWNER_KEPT, BASE + 4 * PAGE, BASE + 5 * PAGE);
    touched_pages_add(&touched, OWNER_OTHER, BASE + 6 * PAGE, BASE + 6 * PAGE + 100);
    touched_pages_add(&touched, OWNER_FILE, BASE + 8 * PAGE, BASE + 9 * PAGE); /* has a name */
    CHECK(touched_pages_sum(&touched) == 0);
    assert_int_equal(touched.list.count, 3);
    const struct owned *list = touched.list.items;
    CHECK(list[0].kind == OWNER_KEPT && list[0].who == 8 && list[0].bytes == PAGE);
    CHECK(list[1].kind == OWNER_OTHER && list[1].who == 8 && list[1].bytes == 2 * PAGE + 100);
    CHECK(list[2].kind == OWNER_OTHER && list[2].who == 9 && list[2].bytes == PAGE);
    vec_free(&touched.list);
}

/* What the areas have is what the visitor is told, and not what blocks have. */
TEST(all_that_areas_have_is_visited)
{
    struct touched_pages touched = begin();
    struct block_table *blocks = block_table_create();
    struct block missed;
    struct block const block = {.address = BASE + PAGE, .size = 100, .site = 1};
    CHECK(blocks && block_table_insert(blocks, &block, &missed) == 0);
    struct page_span const present = {BASE, BASE + 6 * PAGE};
    struct owner_area const areas[] = {
        {BASE, BASE + 4 * PAGE, OWNER_OTHER, 7, true, true},
        {BASE + 4 * PAGE, BASE + 6 * PAGE, OWNER_RUNTIME, 7, false, false}};
    struct page_question const question = {.present = &present,
                                           .present_count = 1,
                                           .areas = areas,
                                           .area_count = 2,
                                           .blocks = blocks,
                                           .site_count = 2,
                                           .areas_visitor = {touched_pages_add, &touched}};
    struct page_owners owners;
    CHECK(page_owners_find(&question, &owners) == 0);
    CHECK(touched_pages_sum(&touched) == 0);
    assert_int_equal(touched.list.count, 4);
    const struct owned *list = touched.list.items;
    CHECK(list[0].kind == OWNER_KEPT && list[0].who == 8 && list[0].bytes == 2 * PAGE);
    CHECK(list[1].kind == OWNER_KEPT && list[1].who == 9 && list[1].bytes == PAGE);
    CHECK(list[2].kind == OWNER_RUNTIME && list[2].bytes == PAGE);
    CHECK(list[3].kind == OWNER_RUNTIME && list[3].bytes == PAGE);
    page_owners_fini(&owners);
    vec_free(&touched.list);
    block_table_destroy(blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_add_up_by_kind_and_toucher),
        cmocka_unit_test(all_that_areas_have_is_visited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
