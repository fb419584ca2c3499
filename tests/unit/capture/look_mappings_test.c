/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/look_mappings.h"

#include <stdlib.h>

#include "check.h"

#define PAGE 4096u

static struct map_list maps;
static struct look_mappings list;

static int end(void **state)
{
    (void)state;
    vec_free(&maps.regions);
    vec_free(&list.items);
    return 0;
}

static void add(uint64_t page, uint64_t pages, bool is_writable)
{
    struct map_region const region = {.start = page * PAGE,
                                      .end = (page + pages) * PAGE,
                                      .readable = true,
                                      .writable = is_writable,
                                      .name = ""};
    CHECK(vec_push(&maps.regions, region));
}

TEST(each_mapping_has_its_pages_owner_and_site)
{
    add(1, 4, false);
    add(10, 10, true);
    add(20, 5, true);
    struct page_span const present[] = {{2 * PAGE, 3 * PAGE}, {15 * PAGE, 22 * PAGE}};
    struct owner_area const areas[] = {{1 * PAGE, 5 * PAGE, OWNER_FILE, 0, false, false},
                                       {10 * PAGE, 20 * PAGE, OWNER_OTHER, 0, true, true},
                                       {20 * PAGE, 25 * PAGE, OWNER_STACK, 0, false, true}};
    struct owner_range const mapped[] = {{10 * PAGE, 20 * PAGE, 7}};
    struct mappings_question const question = {.maps = &maps,
                                               .areas = areas,
                                               .area_count = 3,
                                               .present = present,
                                               .present_count = 2,
                                               .mapped = mapped,
                                               .mapped_count = 1};
    CHECK(look_mappings_make(&question, &list) == 0);
    assert_int_equal(list.items.count, 3);
    const struct look_mapping *found = list.items.items;
    CHECK(found[0].resident == PAGE && found[1].resident == 5 * PAGE &&
          found[2].resident == 2 * PAGE);
    CHECK(found[0].owner == OWNER_FILE && found[2].owner == OWNER_STACK);
    CHECK(found[0].site == OWNER_NOBODY && found[1].site == 7 && found[2].site == OWNER_NOBODY);
    CHECK(found[0].rights == MAPPING_READ && found[1].rights == (MAPPING_READ | MAPPING_WRITE));
}

TEST(what_two_sites_mapped_is_in_pieces)
{
    add(10, 10, true);
    struct page_span const present[] = {{11 * PAGE, 18 * PAGE}};
    struct owner_range const mapped[] = {
        {11 * PAGE, 13 * PAGE, 7}, {13 * PAGE, 15 * PAGE, 7}, {15 * PAGE, 17 * PAGE, 8}};
    struct mappings_question const question = {
        .maps = &maps, .present = present, .present_count = 1, .mapped = mapped, .mapped_count = 3};
    CHECK(look_mappings_make(&question, &list) == 0);
    assert_int_equal(list.items.count, 4);
    const struct look_mapping *found = list.items.items;
    CHECK(found[0].site == OWNER_NOBODY && found[0].resident == 0);
    CHECK(found[1].site == 7 && found[1].start == 11 * PAGE && found[1].end == 15 * PAGE &&
          found[1].resident == 4 * PAGE);
    CHECK(found[2].site == 8 && found[2].resident == 2 * PAGE);
    CHECK(found[3].site == OWNER_NOBODY && found[3].end == 20 * PAGE && found[3].resident == PAGE);
}

TEST(many_are_put_together_and_nothing_is_lost)
{
    struct page_span *present = calloc(5000, sizeof(*present));
    CHECK(present != NULL);
    for (uint64_t i = 0; i < 5000; i++) {
        add(10 + 3 * i, 2, true);
        present[i] = (struct page_span){(10 + 3 * i) * PAGE, (11 + 3 * i) * PAGE};
    }
    struct mappings_question const question = {
        .maps = &maps, .present = present, .present_count = 5000};
    CHECK(look_mappings_make(&question, &list) == 0);
    free(present);
    uint64_t resident = 0, count = 0;
    vec_each (mapping, &list.items) {
        resident += mapping->resident;
        count += mapping->count;
    }
    CHECK(list.items.count <= MAPPINGS_MAX && count == 5000 && resident == 5000 * PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_mapping_has_its_pages_owner_and_site, end),
        cmocka_unit_test_teardown(what_two_sites_mapped_is_in_pieces, end),
        cmocka_unit_test_teardown(many_are_put_together_and_nothing_is_lost, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
