/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_book.h"

#include "check.h"

#define BASE   0x7f0000000000ull
#define AT(i)  (BASE + (uint64_t)(i)*BOOK_PAGE)
#define NOBODY UINT32_MAX

static uint32_t owner(const struct page_book *book, uint64_t address)
{
    const struct page_key *key = page_book_find(book, address);
    return key ? key->stack : NOBODY;
}

TEST(the_last_one_to_write_owns_a_page)
{
    struct page_book book;
    page_book_init(&book, 0, true);
    page_book_fault(&book, AT(0) + 5, 7, false);
    CHECK(owner(&book, AT(0)) == 7 && owner(&book, AT(1)) == NOBODY);
    page_book_fault(&book, AT(0), 8, true); /* it was the page of zeros until now */
    CHECK(owner(&book, AT(0)) == 8);
    page_book_fault(&book, AT(0), 9, false); /* reading takes nothing from who wrote */
    CHECK(owner(&book, AT(0)) == 8);
    page_book_fault(&book, AT(0), 10, true);
    CHECK(owner(&book, AT(0)) == 10 && book.faults == 4);
    page_book_fini(&book);
}

TEST(what_nobody_has_of_a_large_page_goes_to_who_touched_it)
{
    struct page_book book;
    page_book_init(&book, 0, true);
    page_book_fault(&book, AT(30), 3, true);
    page_book_fault(&book, AT(17), 4, true);
    page_book_large(&book, AT(17), 64 * BOOK_PAGE);
    CHECK(owner(&book, AT(0)) == 4 && owner(&book, AT(63)) == 4);
    CHECK(owner(&book, AT(64)) == NOBODY && owner(&book, AT(30)) == 3);
    CHECK(page_book_find(&book, AT(17))->rule == RULE_FAULT);
    CHECK(page_book_find(&book, AT(16))->rule == RULE_LARGE);
    page_book_large(&book, AT(600), 2 << 20); /* nobody touched it: nobody has it */
    page_book_large(&book, AT(17), 12345);
    CHECK(owner(&book, AT(600)) == NOBODY && owner(&book, AT(64)) == NOBODY);
    page_book_fini(&book);
}

TEST(addresses_that_are_used_anew_have_no_owner_or_a_new_one)
{
    struct page_book book;
    page_book_init(&book, 0, true);
    for (unsigned i = 0; i < 300; i++)
        page_book_fault(&book, AT(i), i, true);
    page_book_range(&book, AT(10), 100 * BOOK_PAGE - 1, false, 0);
    for (unsigned i = 0; i < 300; i++)
        CHECK(owner(&book, AT(i)) == (i < 10 || i >= 110 ? i : NOBODY));
    page_book_range(&book, AT(200), 150 * BOOK_PAGE, true, 1000);
    CHECK(owner(&book, AT(199)) == 199 && owner(&book, AT(200)) == 1000);
    CHECK(owner(&book, AT(349)) == 1000 && owner(&book, AT(350)) == NOBODY);
    page_book_range(&book, 0, UINT64_MAX, false, 0);
    CHECK(book.leaves.count == 0 && owner(&book, AT(0)) == NOBODY);
    page_book_range(&book, UINT64_MAX - 5, UINT64_MAX, false, 0);
    page_book_fini(&book);
}

static void check_moved(uint64_t from, uint64_t to, unsigned pages)
{
    struct page_book book;
    page_book_init(&book, 0, true);
    for (unsigned i = 0; i < pages; i++)
        page_book_fault(&book, from + (uint64_t)i * BOOK_PAGE, i, true);
    page_book_fault(&book, from - BOOK_PAGE, 7777, true);
    page_book_fault(&book, to + (uint64_t)pages * BOOK_PAGE, 8888, true); /* stale: it grows */
    page_book_fault(&book, to, 9999, true);
    CHECK(page_book_move(&book, from, (uint64_t)pages * BOOK_PAGE, to,
                         (uint64_t)(pages + 50) * BOOK_PAGE) == 0);
    for (unsigned i = 0; i < pages; i++) {
        CHECK(owner(&book, to + (uint64_t)i * BOOK_PAGE) == i);
        CHECK(owner(&book, from + (uint64_t)i * BOOK_PAGE) == NOBODY);
        CHECK(page_book_find(&book, to + (uint64_t)i * BOOK_PAGE)->rule == RULE_MOVED);
    }
    CHECK(owner(&book, from - BOOK_PAGE) == 7777);
    CHECK(owner(&book, to + (uint64_t)pages * BOOK_PAGE) == NOBODY);
    page_book_fini(&book);
}

TEST(keys_move_with_their_pages)
{
    check_moved(AT(1000), AT(5000), 200);   /* another place within the leaf */
    check_moved(AT(1024), AT(5120), 256);   /* the same */
    check_moved(AT(5001), AT(1000), 3);     /* down */
    check_moved(AT(1), AT(1 << 24), 70000); /* far */
}

TEST(growing_and_shrinking_in_place_keep_the_rest)
{
    struct page_book book;
    page_book_init(&book, 0, true);
    for (unsigned i = 0; i < 100; i++)
        page_book_fault(&book, AT(i), i, true);
    CHECK(page_book_move(&book, AT(0), 60 * BOOK_PAGE, AT(0), 80 * BOOK_PAGE) == 0);
    for (unsigned i = 0; i < 100; i++)
        CHECK(owner(&book, AT(i)) == (i < 60 || i >= 80 ? i : NOBODY));
    CHECK(page_book_move(&book, AT(0), 80 * BOOK_PAGE, AT(0), 20 * BOOK_PAGE) == 0);
    for (unsigned i = 0; i < 100; i++)
        CHECK(owner(&book, AT(i)) == (i < 20 || i >= 80 ? i : NOBODY));
    CHECK(page_book_move(&book, AT(10), 0, AT(90), 5 * BOOK_PAGE) == 0); /* a second mapping */
    CHECK(owner(&book, AT(10)) == 10 && owner(&book, AT(90)) == NOBODY);
    CHECK(owner(&book, AT(95)) == 95);
    page_book_fini(&book);
}

TEST(a_fork_has_the_same_until_one_side_changes)
{
    struct page_book parent, child;
    page_book_init(&parent, 0, true);
    for (unsigned i = 0; i < 1000; i++)
        page_book_fault(&parent, AT(i), i, true);
    CHECK(page_book_copy(&parent, &child) == 0);
    page_book_fault(&child, AT(5), 5000, true);
    page_book_fault(&parent, AT(6), 6000, true);
    page_book_range(&child, AT(64), 64 * BOOK_PAGE, false, 0);
    for (unsigned i = 0; i < 1000; i++) {
        CHECK(owner(&parent, AT(i)) == (i == 6 ? 6000 : i));
        CHECK(owner(&child, AT(i)) == (i == 5 ? 5000 : i >= 64 && i < 128 ? NOBODY : i));
    }
    page_book_exec(&parent);
    CHECK(parent.leaves.count == 0 && parent.is_whole && owner(&child, AT(999)) == 999);
    page_book_fini(&parent);
    CHECK(owner(&child, AT(998)) == 998);
    page_book_fini(&child);
}

TEST(a_full_book_counts_and_keeps_what_it_has)
{
    struct page_book book;
    page_book_init(&book, 10 * 640, true);
    for (unsigned i = 0; i < 20; i++)
        page_book_fault(&book, AT(i * 64), i, true);
    CHECK(book.full == 10 && book.faults == 10 && owner(&book, AT(9 * 64)) == 9);
    CHECK(page_book_memory(&book) < 20000);
    page_book_range(&book, AT(0), 64 * BOOK_PAGE, false, 0); /* makes room */
    page_book_fault(&book, AT(11 * 64), 11, true);
    CHECK(owner(&book, AT(11 * 64)) == 11);
    page_book_range(&book, 0, 1ull << 47, true, 5); /* of which nearly nothing fits */
    CHECK(book.leaves.count == 10);
    page_book_fault(&book, UINT64_MAX, 1, true);
    page_book_fini(&book);
}

TEST(pages_that_lie_together_take_few_bytes)
{
    struct page_book book;
    page_book_init(&book, 0, true);
    for (unsigned i = 0; i < 100000; i++)
        page_book_fault(&book, AT(i), 1, true);
    CHECK(page_book_memory(&book) < 100000 * 12);
    page_book_fini(&book);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_one_to_write_owns_a_page),
        cmocka_unit_test(what_nobody_has_of_a_large_page_goes_to_who_touched_it),
        cmocka_unit_test(addresses_that_are_used_anew_have_no_owner_or_a_new_one),
        cmocka_unit_test(keys_move_with_their_pages),
        cmocka_unit_test(growing_and_shrinking_in_place_keep_the_rest),
        cmocka_unit_test(a_fork_has_the_same_until_one_side_changes),
        cmocka_unit_test(a_full_book_counts_and_keeps_what_it_has),
        cmocka_unit_test(pages_that_lie_together_take_few_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
