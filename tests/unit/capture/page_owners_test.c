/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/page_owners.h"

#include <string.h>

#include "check.h"

#define BASE  0x7f0000000000ull
#define PAGE  4096ull
#define SITES 8u

static struct block_table *blocks;

static void put(uint64_t address, uint64_t size, uint64_t slack, uint32_t site)
{
    struct block missed;
    struct block const block = {.address = address, .size = size, .slack = slack, .site = site};
    CHECK(block_table_insert(blocks, &block, &missed) == 0);
}

static uint64_t has(const struct page_owners *owners, enum owner_kind kind, uint32_t who)
{
    vec_each (owned, &owners->owned) {
        if (owned->kind == kind && owned->who == who)
            return owned->bytes;
    }
    return 0;
}

static int begin(void **state)
{
    (void)state;
    blocks = block_table_create();
    return blocks ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    block_table_destroy(blocks);
    return 0;
}

TEST(blocks_have_what_they_asked_for_and_hold_the_rest_of_their_page)
{
    struct page_span const present = {BASE, BASE + 4 * PAGE};
    struct owner_area const area = {BASE, BASE + 8 * PAGE, OWNER_OTHER, 7, true, true};
    struct page_question const question = {.present = &present,
                                           .present_count = 1,
                                           .areas = &area,
                                           .area_count = 1,
                                           .blocks = blocks,
                                           .site_count = SITES};
    struct page_owners owners;
    put(BASE + 16, 100, 4, 1);
    put(BASE + 2048, 1000, 0, 2);
    put(BASE + 5 * PAGE, 300, 0, 3); /* not resident */
    CHECK(page_owners_find(&question, &owners) == 0);
    assert_int_equal(owners.bytes, 4 * PAGE);
    assert_int_equal(has(&owners, OWNER_LIVE, 1), 100);
    assert_int_equal(has(&owners, OWNER_LIVE, 2), 1000);
    assert_int_equal(has(&owners, OWNER_HELD, 1), 4 + (PAGE - 1104) / 2);
    assert_int_equal(has(&owners, OWNER_HELD, 2), (PAGE - 1104) / 2);
    assert_int_equal(has(&owners, OWNER_KEPT, 7), 3 * PAGE);
    assert_int_equal(owners.untouched, 300);
    page_owners_fini(&owners);
}

TEST(long_blocks_reach_over_pages)
{
    struct page_span const present[] = {{BASE, BASE + 3 * PAGE},
                                        {BASE + 5 * PAGE, BASE + 12 * PAGE}};
    struct owner_area const area = {BASE, BASE + 16 * PAGE, OWNER_OTHER, 7, true, true};
    struct page_question const question = {.present = present,
                                           .present_count = 2,
                                           .areas = &area,
                                           .area_count = 1,
                                           .blocks = blocks,
                                           .site_count = SITES};
    struct page_owners owners;
    put(BASE + 16, 8 * PAGE, 64,
        1); /* ends 16 bytes into the ninth page; pages 3 and 4 are not there */
    put(BASE + 8 * PAGE + 1024, 100, 0, 2);
    CHECK(page_owners_find(&question, &owners) == 0);
    assert_int_equal(owners.bytes, 10 * PAGE);
    assert_int_equal(has(&owners, OWNER_LIVE, 1), PAGE - 16 + 5 * PAGE + 16);
    assert_int_equal(has(&owners, OWNER_LIVE, 2), 100);
    assert_int_equal(has(&owners, OWNER_HELD, 1), 16 + 64 + (PAGE - 180) / 2);
    assert_int_equal(has(&owners, OWNER_HELD, 2), (PAGE - 180) / 2);
    assert_int_equal(has(&owners, OWNER_KEPT, 7), 3 * PAGE);
    assert_int_equal(owners.untouched, 2 * PAGE);
    page_owners_fini(&owners);
}

TEST(names_go_before_mappings_before_areas)
{
    struct page_span const present = {BASE, BASE + 32 * PAGE};
    struct owner_area const areas[] = {
        {BASE, BASE + 16 * PAGE, OWNER_OTHER, 1, true, true},
        {BASE + 16 * PAGE, BASE + 20 * PAGE, OWNER_STACK, 2, false, false},
        {BASE + 24 * PAGE, BASE + 32 * PAGE, OWNER_FILE, 3, false, false}};
    struct owner_range const mapped[] = {{BASE + 2 * PAGE, BASE + 10 * PAGE, 4},
                                         {BASE + 16 * PAGE, BASE + 30 * PAGE, 5}};
    struct owner_range const named = {BASE + 4 * PAGE, BASE + 5 * PAGE, 6};
    struct page_question const question = {.present = &present,
                                           .present_count = 1,
                                           .areas = areas,
                                           .area_count = 3,
                                           .mapped = mapped,
                                           .mapped_count = 2,
                                           .named = &named,
                                           .named_count = 1,
                                           .blocks = blocks,
                                           .site_count = SITES};
    struct page_owners owners;
    CHECK(page_owners_find(&question, &owners) == 0);
    assert_int_equal(has(&owners, OWNER_MAPPED, 4), 7 * PAGE);
    assert_int_equal(has(&owners, OWNER_MAPPED, 6), PAGE);
    assert_int_equal(has(&owners, OWNER_OTHER, 1), 8 * PAGE);
    assert_int_equal(has(&owners, OWNER_STACK, 2), 4 * PAGE);
    assert_int_equal(has(&owners, OWNER_FILE, 3), 8 * PAGE);
    assert_int_equal(owners.bytes, 28 * PAGE); /* pages of no mapping are nobody's */
    page_owners_fini(&owners);
}

TEST(mappings_go_before_stacks_in_them_and_files_before_them)
{
    struct page_span const present = {BASE, BASE + 12 * PAGE};
    struct owner_area const areas[] = {
        {BASE, BASE + 4 * PAGE, OWNER_FILE, 1, true, true}, /* as data and what follows it */
        {BASE + 4 * PAGE, BASE + 8 * PAGE, OWNER_STACK, 2, true, true},
        {BASE + 8 * PAGE, BASE + 12 * PAGE, OWNER_FILE, 3, false, false}};
    struct owner_range const mapped = {BASE + PAGE, BASE + 12 * PAGE, 4};
    struct page_question const question = {.present = &present,
                                           .present_count = 1,
                                           .areas = areas,
                                           .area_count = 3,
                                           .mapped = &mapped,
                                           .mapped_count = 1,
                                           .blocks = blocks,
                                           .site_count = SITES};
    struct page_owners owners;
    CHECK(page_owners_find(&question, &owners) == 0);
    assert_int_equal(has(&owners, OWNER_MAPPED, 4), 7 * PAGE);
    assert_int_equal(has(&owners, OWNER_FILE, 1), PAGE);
    assert_int_equal(has(&owners, OWNER_STACK, 2), 0);
    assert_int_equal(has(&owners, OWNER_FILE, 3), 4 * PAGE);
    assert_int_equal(owners.bytes, 12 * PAGE);
    page_owners_fini(&owners);
}

TEST(an_attached_program_had_its_heap_before)
{
    struct page_span const present = {BASE, BASE + 4 * PAGE};
    struct owner_area const area = {BASE, BASE + 8 * PAGE, OWNER_KEPT, 7, true, true};
    struct page_question const question = {.present = &present,
                                           .present_count = 1,
                                           .areas = &area,
                                           .area_count = 1,
                                           .blocks = blocks,
                                           .site_count = SITES,
                                           .is_attached = true};
    struct page_owners owners;
    put(BASE + 16, 100, 4, 1);
    CHECK(page_owners_find(&question, &owners) == 0);
    assert_int_equal(has(&owners, OWNER_HELD, 1), 4);
    assert_int_equal(has(&owners, OWNER_BEFORE, OWNER_NOBODY), PAGE - 104);
    assert_int_equal(has(&owners, OWNER_BEFORE, 7), 3 * PAGE);
    assert_int_equal(owners.bytes, 4 * PAGE);
    page_owners_fini(&owners);
}

/* What was mapped since has no blocks of before: of a program that ran already, and where the
 * kernel made one mapping of an older and a newer one. */
TEST(mappings_that_came_later_are_not_from_before)
{
    struct page_span const present = {BASE, BASE + 8 * PAGE};
    struct owner_area const areas[] = {
        {BASE, BASE + 4 * PAGE, OWNER_OTHER, 7, true, true},
        {BASE + 4 * PAGE, BASE + 8 * PAGE, OWNER_KEPT, 8, true, true}};
    struct page_span const earlier = {BASE, BASE + 2 * PAGE};
    struct page_question const question = {.present = &present,
                                           .present_count = 1,
                                           .areas = areas,
                                           .area_count = 2,
                                           .blocks = blocks,
                                           .site_count = SITES,
                                           .is_attached = true,
                                           .earlier = &earlier,
                                           .earlier_count = 1};
    struct page_owners owners;
    put(BASE + 16, 100, 4, 1);
    put(BASE + 5 * PAGE, 1000, 8, 2);
    CHECK(page_owners_find(&question, &owners) == 0);
    assert_int_equal(has(&owners, OWNER_HELD, 1), 4);
    assert_int_equal(has(&owners, OWNER_BEFORE, OWNER_NOBODY), PAGE - 104);
    assert_int_equal(has(&owners, OWNER_BEFORE, 7), PAGE);
    assert_int_equal(has(&owners, OWNER_KEPT, 7), 2 * PAGE);
    assert_int_equal(has(&owners, OWNER_HELD, 2), PAGE - 1000);
    assert_int_equal(has(&owners, OWNER_KEPT, 8), 3 * PAGE);
    assert_int_equal(has(&owners, OWNER_BEFORE, 8), 0);
    assert_int_equal(owners.bytes, 8 * PAGE);
    page_owners_fini(&owners);
}

/* A byte by byte count of random blocks. */
#define MANY_PAGES 64u
struct slow {
    uint8_t site[MANY_PAGES * PAGE]; /* 0: nobody; 128 + site: slack */
    uint64_t live[SITES], held[SITES], kept;
};

static void fill_at_random(struct slow *slow)
{
    uint64_t at = 0;
    uint64_t seed = 12345;
    while (at + 20000 < sizeof(slow->site)) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        uint64_t const size = seed >> 60 == 0 ? seed >> 50 & 0x3fff : seed >> 40 & 255;
        uint32_t const site = 1 + (uint32_t)(seed >> 33) % (SITES - 1);
        uint64_t const usable = (size + 7) / 8 * 8 + 8;
        put(BASE + at, size, usable - size, site);
        memset(slow->site + at, (int)site, size);
        memset(slow->site + at + size, (int)(128 + site), usable - size);
        at += usable + (seed >> 20 & 0x1ff) / 8 * 8 + (seed >> 58 == 1 ? 3 * PAGE : 0);
    }
}

static void count_slowly(struct slow *slow)
{
    for (uint64_t page = 0; page < MANY_PAGES; page++) {
        uint64_t live = 0;
        for (uint64_t i = page * PAGE; i < (page + 1) * PAGE; i++) {
            uint8_t const who = slow->site[i];
            live += who != 0;
            slow->live[who & 127] += who && who < 128;
            slow->held[who & 127] += who >= 128;
        }
        slow->kept += live == 0 ? PAGE : 0;
    }
}

TEST(all_adds_up_byte_by_byte)
{
    static struct slow slow;
    struct page_span const present = {BASE, BASE + MANY_PAGES * PAGE};
    struct owner_area const area = {BASE, BASE + MANY_PAGES * PAGE, OWNER_KEPT, 0, true, true};
    struct page_question const question = {.present = &present,
                                           .present_count = 1,
                                           .areas = &area,
                                           .area_count = 1,
                                           .blocks = blocks,
                                           .site_count = SITES};
    struct page_owners owners;
    uint64_t held = 0, slack = 0, all_live = 0;
    fill_at_random(&slow);
    count_slowly(&slow);
    CHECK(page_owners_find(&question, &owners) == 0);
    for (uint32_t site = 1; site < SITES; site++) {
        assert_int_equal(has(&owners, OWNER_LIVE, site), slow.live[site]);
        CHECK(has(&owners, OWNER_HELD, site) >= slow.held[site]);
        held += has(&owners, OWNER_HELD, site);
        slack += slow.held[site];
        all_live += slow.live[site];
    }
    CHECK(slack > 0 && held > slack);
    assert_int_equal(has(&owners, OWNER_KEPT, 0), slow.kept);
    assert_int_equal(held, MANY_PAGES * PAGE - all_live - slow.kept);
    assert_int_equal(owners.bytes, MANY_PAGES * PAGE);
    page_owners_fini(&owners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            blocks_have_what_they_asked_for_and_hold_the_rest_of_their_page, begin, end),
        cmocka_unit_test_setup_teardown(long_blocks_reach_over_pages, begin, end),
        cmocka_unit_test_setup_teardown(names_go_before_mappings_before_areas, begin, end),
        cmocka_unit_test_setup_teardown(mappings_go_before_stacks_in_them_and_files_before_them,
                                        begin, end),
        cmocka_unit_test_setup_teardown(an_attached_program_had_its_heap_before, begin, end),
        cmocka_unit_test_setup_teardown(mappings_that_came_later_are_not_from_before, begin, end),
        cmocka_unit_test_setup_teardown(all_adds_up_byte_by_byte, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
