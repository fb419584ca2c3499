/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/pool_book.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"
#include "wire/event.h"

static struct pool_book *book;
static struct quality quality;
static uint32_t numbers[EVENT_GROUPS];

static int set_up(void **state)
{
    (void)state;
    book = pool_book_create(true);
    memset(&quality, 0, sizeof(quality));
    memset(numbers, 0, sizeof(numbers));
    return book && pool_book_reserve(book, 4, 2) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pool_book_destroy(book);
    return 0;
}

static struct heap_event event_of(enum heap_event_kind kind, uint64_t address, uint64_t size)
{
    struct heap_event event = {
        .kind = kind,
        .sequence = ++numbers[event_group(address)] & EVENT_SEQUENCE_MASK,
        .block = {.address = address, .size = size},
        .freeing = {.address = address},
    };
    return event;
}

static int alloc(uint64_t address, uint64_t size, uint32_t fill)
{
    struct heap_event event = event_of(HEAP_ALLOC, address, size);
    return pool_book_event(book, &event, fill, false, &quality);
}

static int gone(uint64_t address, uint32_t fill)
{
    struct heap_event event = event_of(HEAP_FREE, address, 0);
    return pool_book_event(book, &event, fill, false, &quality);
}

static struct totals totals_now(void)
{
    struct totals totals;
    heap_book_totals(pool_book_blocks(book), &totals);
    return totals;
}

static uint64_t live_bytes(void)
{
    struct totals totals = totals_now();
    return totals.bytes - totals.freed_bytes;
}

TEST(a_filling_that_ends_frees_its_blocks_and_no_others)
{
    CHECK(pool_book_begin_fill(book, 1, 0, 10, 0) == 0);
    CHECK(pool_book_begin_fill(book, 2, 0, 20, 0) == 0);
    CHECK(alloc(0x1000, 10, 1) == 0 && alloc(0x2000, 100, 2) == 0);
    CHECK(alloc(0x3000, 20, 1) == 0 && alloc(0x4000, 1000, 0) == 0);
    CHECK(gone(0x3000, 1) == 0);
    CHECK(alloc(0x3000, 5, 2) == 0); /* its place in another pool */
    CHECK(pool_book_begin_fill(book, 3, 1, STRING_EMPTY, 50) == 1);
    CHECK(live_bytes() == 100 + 5 + 1000);
    CHECK(pool_book_begin_fill(book, 0, 2, STRING_EMPTY, 60) == 2);
    CHECK(live_bytes() == 1000);
    CHECK(quality.unknown_frees == 0 && quality.implied_frees == 0);
}

TEST(a_new_filling_has_the_name_of_the_old_one)
{
    string_id name = 99;
    CHECK(pool_book_name(book, 0, &name) && name == STRING_EMPTY);
    CHECK(!pool_book_name(book, 1, &name));
    pool_book_begin_fill(book, 1, 0, 10, 0);
    pool_book_begin_fill(book, 2, 1, STRING_EMPTY, 0);
    CHECK(pool_book_name(book, 2, &name) && name == 10);
}

TEST(what_names_an_unknown_filling_waits)
{
    struct heap_event event = event_of(HEAP_ALLOC, 0x1000, 10);
    CHECK(pool_book_event(book, &event, 7, false, &quality) == 1);
    pool_book_begin_fill(book, 7, 0, 10, 0);
    CHECK(pool_book_event(book, &event, 7, false, &quality) == 0);
    CHECK(live_bytes() == 10);
    /* It never comes: its blocks are a pool without a name. */
    event = event_of(HEAP_ALLOC, 0x2000, 20);
    CHECK(pool_book_event(book, &event, 8, true, &quality) == 0);
    CHECK(alloc(0x3000, 30, 8) == 0);
    CHECK(pool_book_begin_fill(book, 0, 8, STRING_EMPTY, 0) == 2 && live_bytes() == 10);
}

TEST(blocks_that_are_heard_of_after_the_end_are_freed_as_well)
{
    pool_book_begin_fill(book, 1, 0, 10, 0);
    struct heap_event late = event_of(HEAP_ALLOC, 0x1000, 10);
    struct heap_event late_free = event_of(HEAP_FREE, 0x1000, 0);
    struct heap_event later = event_of(HEAP_ALLOC, 0x2000, 20);
    struct heap_event next = event_of(HEAP_ALLOC, 0x2000, 7);
    pool_book_begin_fill(book, 2, 1, STRING_EMPTY, 50);
    CHECK(pool_book_event(book, &next, 2, false, &quality) == 1); /* 0x2000 was there before */
    CHECK(pool_book_event(book, &later, 1, false, &quality) == 0);
    CHECK(pool_book_event(book, &next, 2, false, &quality) == 0);
    CHECK(pool_book_event(book, &late, 1, false, &quality) == 0);
    CHECK(pool_book_event(book, &late_free, 1, false, &quality) == 0);
    CHECK(live_bytes() == 7 && totals_now().calls == 3 && totals_now().frees == 2);
    CHECK(quality.unknown_frees == 0 && quality.implied_frees == 0);
}

TEST(a_free_that_was_lost_is_told_by_the_next_block)
{
    pool_book_begin_fill(book, 1, 0, 10, 0);
    CHECK(alloc(0x1000, 10, 1) == 0);
    CHECK(alloc(0x1000, 11, 1) == 0);
    CHECK(quality.implied_frees == 1 && live_bytes() == 11);
    CHECK(pool_book_begin_fill(book, 0, 1, STRING_EMPTY, 0) == 1);
    CHECK(live_bytes() == 0);
    CHECK(gone(0x9000, 0) == 0 && quality.unknown_frees == 1);
}

/* A program that makes a pool for each request. */
TEST(a_million_pools_cost_bounded_memory)
{
    string_id name;
    CHECK(pool_book_begin_fill(book, 1, 0, 77, 0) == 0); /* lives through it all */
    CHECK(alloc(0x1000, 1, 1) == 0);
    for (uint32_t fill = 2; fill < 1000000; fill++) {
        CHECK(pool_book_begin_fill(book, fill, 0, 10, 0) == 0);
        CHECK(alloc(0x20000, 8, fill) == 0);
        CHECK(pool_book_begin_fill(book, 0, fill, STRING_EMPTY, 0) == 1);
    }
    CHECK(pool_book_name(book, 1, &name) && name == 77);
    CHECK(pool_book_name(book, 2, &name));
    struct heap_event late = event_of(HEAP_ALLOC, 0x3000, 100); /* of one long forgotten */
    CHECK(pool_book_event(book, &late, 2, false, &quality) == 0);
    CHECK(live_bytes() == 1);
    CHECK(pool_book_begin_fill(book, 0, 1, STRING_EMPTY, 0) == 1 && live_bytes() == 0);
}

#define PLACES 500u
#define POOLS  8u

/* The same with books that are kept the slow and simple way. */
TEST(random_events_agree_with_simple_books)
{
    static struct {
        uint64_t size;
        uint32_t pool;
    } places[PLACES];
    uint32_t fill_of[POOLS], last = 0;
    uint64_t live = 0;
    struct random random = random_from(42);
    memset(places, 0, sizeof(places));
    for (uint32_t i = 0; i < POOLS; i++)
        CHECK(pool_book_begin_fill(book, fill_of[i] = ++last, 0, i + 1, 0) == 0);
    for (uint32_t i = 0; i < 300000; i++) {
        uint32_t place = (uint32_t)random_below(&random, PLACES);
        uint32_t pool = (uint32_t)random_below(&random, POOLS);
        uint64_t address = 0x10000 + 64 * (uint64_t)place;
        if (random_below(&random, 200) == 0) {
            int64_t freed = 0;
            for (uint32_t k = 0; k < PLACES; k++) {
                if (places[k].size && places[k].pool == pool) {
                    live -= places[k].size;
                    places[k].size = 0;
                    freed++;
                }
            }
            CHECK(pool_book_begin_fill(book, ++last, fill_of[pool], STRING_EMPTY, i) == freed);
            fill_of[pool] = last;
        } else if (places[place].size) {
            CHECK(gone(address, fill_of[places[place].pool]) == 0);
            live -= places[place].size;
            places[place].size = 0;
        } else {
            places[place].size = 1 + random_below(&random, 1000);
            places[place].pool = pool;
            live += places[place].size;
            CHECK(alloc(address, places[place].size, fill_of[pool]) == 0);
        }
        CHECK(live_bytes() == live);
    }
    CHECK(quality.unknown_frees == 0 && quality.implied_frees == 0);
}

#define BOOK(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOOK(a_filling_that_ends_frees_its_blocks_and_no_others),
        BOOK(a_new_filling_has_the_name_of_the_old_one),
        BOOK(what_names_an_unknown_filling_waits),
        BOOK(blocks_that_are_heard_of_after_the_end_are_freed_as_well),
        BOOK(a_free_that_was_lost_is_told_by_the_next_block),
        BOOK(a_million_pools_cost_bounded_memory),
        BOOK(random_events_agree_with_simple_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
