/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_join.h"

#include "check.h"

#define BASE  0x7f0000000000ull
#define AT(i) (BASE + (uint64_t)(i)*BOOK_PAGE)

static struct join_run run_of(unsigned first, unsigned past, enum page_kind kind)
{
    return (struct join_run){.start = AT(first),
                             .end = AT(past),
                             .kind = kind,
                             .area_start = AT(0),
                             .area_end = AT(100000)};
}

/* One look that sees these runs; `join` has the answer. */
static void look(struct page_book *book, struct page_join *join, const struct join_run *runs,
                 size_t count)
{
    uint64_t sum = 0, counted = 0, told = 0;
    page_join_begin(join, book);
    for (size_t i = 0; i < count; i++) {
        page_join_run(join, &runs[i]);
        sum += runs[i].end - runs[i].start;
    }
    CHECK(page_join_end(join) == 0);
    for (size_t i = 0; i < LOOK_KINDS; i++)
        counted += join->bytes[i];
    for (size_t i = 0; i < join->pages.room; i++)
        told += (uint64_t)join->pages.items[i].value * BOOK_PAGE;
    CHECK(sum == counted && sum == told);
}

static uint32_t pages_of(const struct page_join *join, uint32_t stack, enum page_kind kind)
{
    return number_map_get(&join->pages, page_owner_key(stack, kind));
}

TEST(what_was_there_before_is_one_owner_and_stays_so)
{
    struct page_book book;
    struct page_join join;
    struct join_run runs[] = {run_of(0, 100, PAGE_ANON), run_of(200, 210, PAGE_FILE)};
    page_book_init(&book, 0, false);
    page_book_fault(&book, AT(50), 1, true);
    look(&book, &join, runs, 2);
    CHECK(pages_of(&join, PAGES_BEFORE, PAGE_ANON) == 99 && pages_of(&join, 1, PAGE_ANON) == 1);
    CHECK(pages_of(&join, PAGES_BEFORE, PAGE_FILE) == 10);
    CHECK(join.rule_bytes[RULE_BEFORE] == 109 * BOOK_PAGE);
    page_join_fini(&join);
    runs[0].end = AT(120); /* came without an event */
    look(&book, &join, runs, 2);
    CHECK(pages_of(&join, PAGES_BEFORE, PAGE_ANON) == 99);
    CHECK(pages_of(&join, PAGES_NO_FAULT, PAGE_ANON) == 20);
    page_join_fini(&join);
    runs[0].end = AT(130);
    book.lost++;
    look(&book, &join, runs, 2);
    CHECK(pages_of(&join, PAGES_LOST, PAGE_ANON) == 10 &&
          pages_of(&join, PAGES_NO_FAULT, PAGE_ANON) == 20);
    page_join_fini(&join);
    page_book_fini(&book);
}

TEST(a_look_that_failed_has_found_nothing)
{
    struct page_book book;
    struct page_join join;
    struct join_run const few = run_of(0, 10, PAGE_ANON), all = run_of(0, 100, PAGE_ANON);
    page_book_init(&book, 0, true);
    for (unsigned i = 0; i < 100; i++)
        page_book_fault(&book, AT(i), 1, true);
    look(&book, &join, &few, 1);
    page_join_fini(&join);
    page_join_begin(&join, &book);
    page_join_run(&join, &all);
    struct join_run const beyond = run_of(200, 300, PAGE_ANON);
    page_join_run(&join, &beyond);
    page_join_undo(&join);
    page_join_fini(&join);
    for (uint64_t i = 0; i < 100; i++) {
        const struct page_leaf *leaf = page_book_leaf(&book, AT(i) / BOOK_LEAF_BYTES);
        uint64_t const bit = AT(i) % BOOK_LEAF_BYTES / BOOK_PAGE;
        CHECK((leaf->settled >> bit & 1) == (i < 10));
    }
    page_book_fini(&book);
}

TEST(keys_of_pages_that_are_gone_go)
{
    struct page_book book;
    struct page_join join;
    struct join_run run = run_of(0, 10, PAGE_ANON);
    page_book_init(&book, 0, true);
    for (unsigned i = 0; i < 1000; i++)
        page_book_fault(&book, AT(i), 1, true);
    look(&book, &join, &run, 1);
    CHECK(pages_of(&join, 1, PAGE_ANON) == 10 && join.dropped == 0); /* they may be about to come */
    page_join_fini(&join);
    look(&book, &join, &run, 1);
    CHECK(pages_of(&join, 1, PAGE_ANON) == 10 && join.dropped == 990 && book.leaves.count == 1);
    page_join_fini(&join);
    page_join_begin(&join, &book);
    page_book_fault(&book, AT(500), 2, true); /* after the pages were seen, for all we know */
    page_book_fault(&book, AT(11), 2, true);
    page_join_run(&join, &run);
    CHECK(page_join_end(&join) == 0);
    CHECK(page_book_find(&book, AT(500)) && page_book_find(&book, AT(11)));
    page_join_fini(&join);
    for (unsigned i = 0; i < 2; i++) {
        look(&book, &join, NULL, 0);
        page_join_fini(&join);
    }
    CHECK(book.leaves.count == 0);
    page_book_fini(&book);
}

TEST(pages_that_are_nowhere_for_an_instant_keep_their_owner)
{
    struct page_book book;
    struct page_join join;
    struct join_run run = run_of(0, 10, PAGE_ANON), moving = run_of(0, 5, PAGE_ANON);
    page_book_init(&book, 0, true);
    for (unsigned i = 0; i < 10; i++)
        page_book_fault(&book, AT(i), 1, true);
    for (unsigned i = 0; i < 4; i++) {
        look(&book, &join, i % 2 ? &moving : &run, 1);
        CHECK(pages_of(&join, 1, PAGE_ANON) == (i % 2 ? 5 : 10) && join.dropped == 0);
        page_join_fini(&join);
    }
    page_book_fini(&book);
}

TEST(what_was_in_swap_keeps_its_owner)
{
    struct page_book book;
    struct page_join join;
    struct join_run run = run_of(0, 10, PAGE_SWAP);
    page_book_init(&book, 0, true);
    for (unsigned i = 0; i < 10; i++)
        page_book_fault(&book, AT(i), 1, true);
    look(&book, &join, &run, 1);
    CHECK(pages_of(&join, 1, PAGE_SWAP) == 10);
    page_join_fini(&join);
    page_book_fault(&book, AT(3), 2, true);
    page_book_fault(&book, AT(4), 2, true);
    page_book_fault(&book, AT(4), 3, true); /* this time it was there: copied, or given anew */
    run.kind = PAGE_ANON;
    look(&book, &join, &run, 1);
    CHECK(pages_of(&join, 1, PAGE_ANON) == 9 && pages_of(&join, 3, PAGE_ANON) == 1);
    page_join_fini(&join);
    page_book_fini(&book);
}

/* Touched: 3, by 1, and 12, by 2.  The kernel mapped 0 to 15 around them, and 16 and 17 with the
 * folio of 12. */
TEST(pages_of_files_come_with_the_one_that_is_touched)
{
    struct page_book book;
    struct page_join join;
    struct join_run runs[] = {run_of(0, 8, PAGE_FILE), run_of(8, 18, PAGE_SHMEM),
                              run_of(40, 52, PAGE_ANON)};
    page_book_init(&book, 0, true);
    page_book_fault(&book, AT(3), 1, false);
    page_book_fault(&book, AT(12), 2, false);
    page_book_fault(&book, AT(41), 3, true);
    look(&book, &join, runs, 3);
    CHECK(pages_of(&join, 1, PAGE_FILE) == 8 && pages_of(&join, 2, PAGE_SHMEM) == 10);
    CHECK(pages_of(&join, PAGES_NO_FAULT, PAGE_SHMEM) == 0);
    CHECK(pages_of(&join, PAGES_NO_FAULT, PAGE_ANON) == 11 && pages_of(&join, 3, PAGE_ANON) == 1);
    CHECK(join.rule_bytes[RULE_AROUND] == 16 * BOOK_PAGE);
    page_join_fini(&join);
    runs[2] = run_of(18, 19, PAGE_FILE); /* next to pages that came long ago */
    look(&book, &join, runs, 3);
    CHECK(pages_of(&join, PAGES_NO_FAULT, PAGE_FILE) == 1);
    page_join_fini(&join);
    page_book_fini(&book);
}

/* The mapping begins at 10: the kernel maps 16 pages from there, beyond the window that is
 * aligned. */
TEST(the_first_window_is_as_long_as_others)
{
    struct page_book book;
    struct page_join join;
    struct join_run runs[] = {run_of(10, 12, PAGE_FILE), run_of(20, 26, PAGE_FILE),
                              run_of(27, 28, PAGE_FILE)};
    for (unsigned i = 0; i < 3; i++)
        runs[i].area_start = AT(10);
    page_book_init(&book, 0, true);
    page_book_fault(&book, AT(10), 1, false);
    look(&book, &join, runs, 3);
    CHECK(pages_of(&join, 1, PAGE_FILE) == 8 && pages_of(&join, PAGES_NO_FAULT, PAGE_FILE) == 1);
    page_join_fini(&join);
    page_book_fini(&book);
}

/* Touched: 100, in a folio of 64 to 191; and 300, in one of 256 to 319.  200 to 209 came some
 * other way. */
TEST(a_folio_comes_with_any_of_its_pages)
{
    struct page_book book;
    struct page_join join;
    struct join_run runs[] = {run_of(64, 192, PAGE_FILE), run_of(200, 210, PAGE_FILE),
                              run_of(256, 320, PAGE_SHMEM)};
    page_book_init(&book, 0, true);
    page_book_fault(&book, AT(100), 1, false);
    page_book_fault(&book, AT(300), 2, false);
    look(&book, &join, runs, 3);
    CHECK(pages_of(&join, 1, PAGE_FILE) == 128 && pages_of(&join, 2, PAGE_SHMEM) == 64);
    CHECK(pages_of(&join, PAGES_NO_FAULT, PAGE_FILE) == 10);
    page_join_fini(&join);
    struct join_run other[] = {run_of(380, 384, PAGE_FILE), run_of(384, 390, PAGE_ANON)};
    other[0].area_end = other[1].area_start = AT(384); /* another mapping follows */
    page_book_fault(&book, AT(384), 3, true);
    look(&book, &join, other, 2);
    CHECK(pages_of(&join, PAGES_NO_FAULT, PAGE_FILE) == 4);
    page_join_fini(&join);
    page_book_fini(&book);
}

TEST(the_window_ends_where_the_mapping_does)
{
    struct page_book book;
    struct page_join join;
    struct join_run runs[] = {run_of(0, 4, PAGE_FILE), run_of(4, 8, PAGE_FILE)};
    runs[0].area_end = runs[1].area_start = AT(4);
    page_book_init(&book, 0, true);
    page_book_fault(&book, AT(3), 1, false);
    look(&book, &join, runs, 2);
    CHECK(pages_of(&join, 1, PAGE_FILE) == 4 && pages_of(&join, PAGES_NO_FAULT, PAGE_FILE) == 4);
    page_join_fini(&join);
    page_book_fini(&book);
}

TEST(what_fills_a_huge_page_goes_to_who_has_most_of_it)
{
    struct page_book book;
    struct page_join join;
    struct join_run run = run_of(0, 512, PAGE_ANON);
    page_book_init(&book, 0, true);
    for (unsigned i = 0; i < 60; i++)
        page_book_fault(&book, AT(i * 8), i % 3 ? 5 : 6, true);
    run.is_huge = true;
    look(&book, &join, &run, 1);
    CHECK(pages_of(&join, 6, PAGE_ANON) == 20 && pages_of(&join, 5, PAGE_ANON) == 492);
    CHECK(join.rule_bytes[RULE_FILLED] == 452 * BOOK_PAGE);
    page_join_fini(&join);
    page_book_fini(&book);
}

/* Keys of 4 KiB pages that were there before, and one fault: if the page is huge now it is all
 * new, else the event was about something else. */
TEST(a_huge_page_is_believed_where_it_is_found)
{
    struct page_book book;
    struct page_join join;
    struct join_run run = run_of(0, 1024, PAGE_ANON);
    page_book_init(&book, 0, true);
    for (unsigned i = 0; i < 1024; i++)
        page_book_fault(&book, AT(i), 1, true);
    look(&book, &join, &run, 1);
    page_join_fini(&join);
    page_book_fault(&book, AT(5), 2, true);
    page_book_large(&book, AT(5), 2 << 20);
    page_book_fault(&book, AT(700), 3, true);
    page_book_large(&book, AT(700), 2 << 20);
    struct join_run runs[] = {run_of(0, 512, PAGE_ANON), run_of(512, 1024, PAGE_ANON)};
    runs[1].is_huge = true;
    look(&book, &join, runs, 2);
    CHECK(pages_of(&join, 1, PAGE_ANON) == 511 && pages_of(&join, 2, PAGE_ANON) == 1);
    CHECK(pages_of(&join, 3, PAGE_ANON) == 512);
    page_join_fini(&join);
    page_book_fault(&book, AT(2000), 4, true); /* given, and gone again */
    page_book_large(&book, AT(2000), 2 << 20);
    for (unsigned i = 0; i < 3; i++) {
        look(&book, &join, NULL, 0);
        page_join_fini(&join);
    }
    CHECK(book.leaves.count == 0);
    page_book_fini(&book);
}

TEST(a_forked_process_has_its_parents_memory_but_its_own_files)
{
    struct page_book parent, child;
    struct page_join join;
    struct join_run runs[] = {run_of(0, 10, PAGE_ANON), run_of(16, 32, PAGE_FILE)};
    page_book_init(&parent, 0, true);
    for (unsigned i = 0; i < 32; i++)
        page_book_fault(&parent, AT(i), 1, true);
    look(&parent, &join, runs, 2);
    page_join_fini(&join);
    CHECK(page_book_copy(&parent, &child) == 0);
    page_book_fault(&child, AT(2), 2, true);
    page_book_fault(&child, AT(20), 2, false);
    look(&child, &join, runs, 2);
    CHECK(pages_of(&join, 1, PAGE_ANON) == 9 && pages_of(&join, 2, PAGE_ANON) == 1);
    CHECK(pages_of(&join, 2, PAGE_FILE) == 16);
    page_join_fini(&join);
    look(&parent, &join, runs, 2);
    CHECK(pages_of(&join, 1, PAGE_ANON) == 10 && pages_of(&join, 1, PAGE_FILE) == 16);
    page_join_fini(&join);
    page_book_fini(&parent);
    page_book_fini(&child);
}

TEST(a_book_without_room_still_adds_up)
{
    struct page_book book;
    struct page_join join;
    struct join_run run = run_of(0, 1000, PAGE_ANON);
    page_book_init(&book, 3 * 640, true);
    for (unsigned i = 0; i < 1000; i++)
        page_book_fault(&book, AT(i), 1, true);
    look(&book, &join, &run, 1);
    CHECK(pages_of(&join, 1, PAGE_ANON) == 192 && pages_of(&join, PAGES_LOST, PAGE_ANON) == 808);
    page_join_fini(&join);
    page_book_fini(&book);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_there_before_is_one_owner_and_stays_so),
        cmocka_unit_test(a_look_that_failed_has_found_nothing),
        cmocka_unit_test(keys_of_pages_that_are_gone_go),
        cmocka_unit_test(pages_that_are_nowhere_for_an_instant_keep_their_owner),
        cmocka_unit_test(what_was_in_swap_keeps_its_owner),
        cmocka_unit_test(pages_of_files_come_with_the_one_that_is_touched),
        cmocka_unit_test(the_first_window_is_as_long_as_others),
        cmocka_unit_test(a_folio_comes_with_any_of_its_pages),
        cmocka_unit_test(the_window_ends_where_the_mapping_does),
        cmocka_unit_test(what_fills_a_huge_page_goes_to_who_has_most_of_it),
        cmocka_unit_test(a_huge_page_is_believed_where_it_is_found),
        cmocka_unit_test(a_forked_process_has_its_parents_memory_but_its_own_files),
        cmocka_unit_test(a_book_without_room_still_adds_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
