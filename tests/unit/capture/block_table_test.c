/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/block_table.h"

#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "random.h"

#define PLACES     65536u
#define OPERATIONS 1000000u
#define COARSE     1024u /* ns: how exactly a block knows its time */

/* Addresses as an allocator gives them: mostly close together, some far away. */
static uint64_t address_of(uint32_t place)
{
    return place % 8 == 7 ? 0x7f0000000000ull + (uint64_t)place * 135184
                          : 0x555500001000ull + (uint64_t)place * 48;
}

static bool has(const struct block_table *table, uint64_t address)
{
    uint32_t site;
    return block_table_peek(table, address, &site);
}

static bool same_block(const struct block *got, const struct block *put)
{
    return got->address == put->address && got->size == put->size && got->slack == put->slack &&
           got->site == put->site && got->thread == put->thread &&
           got->time_ns == put->time_ns / COARSE * COARSE;
}

/* Mostly what rounds the size up to whole words and a few more; sometimes anything. */
static uint64_t random_slack(struct random *random)
{
    uint64_t pick = random_below(random, 10);
    return pick == 0 ? random_next(random) >> 20 : random_below(random, pick == 1 ? 4096 : 24);
}

static struct block random_block(struct random *random, uint32_t place, uint64_t now)
{
    static const uint64_t sizes[] = {
        0, 1, 24, 4096, 1 << 20, (1ull << 36) - 2, (1ull << 36) - 1, 1ull << 36, 1ull << 46};
    uint64_t pick = random_below(random, 1000);
    return (struct block){.address = address_of(place),
                          .size = pick < 9 ? sizes[pick] : random_below(random, 5000),
                          .time_ns = now,
                          .slack = random_slack(random),
                          .site = (uint32_t)random_below(random, 1u << 22),
                          .thread = (uint32_t)random_below(random, 1u << 12)};
}

TEST(a_million_random_steps_agree_with_an_array)
{
    struct random random = random_from(1);
    struct block *model = calloc(PLACES, sizeof(*model)), got, missed; /* address 0: not there */
    struct block_table *table = block_table_create();
    uint64_t count = 0;
    CHECK(model && table);
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        /* most of the time near the last place, so that some die young */
        uint32_t place = (uint32_t)(random_below(&random, 4) ? i / 16 + random_below(&random, 64)
                                                             : random_next(&random)) %
                         PLACES;
        uint64_t address = address_of(place);
        CHECK(has(table, address) == (model[place].address != 0));
        if (model[place].address && random_below(&random, 20) == 0) { /* its end was missed */
            struct block next = random_block(&random, place, (uint64_t)i * 1000);
            CHECK(block_table_insert(table, &next, &missed) == 1);
            CHECK(same_block(&missed, &model[place]));
            model[place] = next;
        } else if (model[place].address) {
            CHECK(block_table_remove(table, address, &got));
            CHECK(same_block(&got, &model[place]));
            model[place].address = 0;
            count--;
            CHECK(!block_table_remove(table, address, &got));
        } else {
            model[place] = random_block(&random, place, (uint64_t)i * 1000);
            block_table_prefetch(table, address);
            CHECK(block_table_insert(table, &model[place], &missed) == 0);
            count++;
        }
        CHECK(block_table_count(table) == count);
    }
    for (uint32_t place = 0; place < PLACES; place++) {
        CHECK(block_table_remove(table, address_of(place), &got) == (model[place].address != 0));
        CHECK(!model[place].address || same_block(&got, &model[place]));
    }
    CHECK(block_table_count(table) == 0);
    block_table_destroy(table);
    free(model);
}

/* A page may be as full as it can be: a block at every word. */
TEST(a_page_full_of_blocks_keeps_them_all)
{
    struct block_table *table = block_table_create();
    struct block got, missed;
    for (uint64_t i = 0; i < 3 * 512; i++) {
        struct block block = {0x100000 + 8 * (i * 341 % 1536), 8, i << 20, 0, (uint32_t)i, 5};
        CHECK(block_table_insert(table, &block, &missed) == 0);
    }
    CHECK(block_table_count(table) == 3 * 512 && !has(table, 0x100000 - 8));
    for (uint64_t i = 0; i < 3 * 512; i++) {
        struct block put = {0x100000 + 8 * (i * 341 % 1536), 8, i << 20, 0, (uint32_t)i, 5};
        CHECK(block_table_remove(table, put.address, &got) && same_block(&got, &put));
        CHECK(!has(table, put.address));
    }
    block_table_destroy(table);
}

/* A heap that wanders through memory must not leave its tables behind. */
TEST(pages_that_were_left_are_given_back)
{
    struct block_table *table = block_table_create();
    struct block got, missed;
    uint64_t most = 0;
    for (uint64_t page = 1; page < 300000; page++) {
        struct block block = {page << 12, 4000, page, 96, 1, 1};
        CHECK(block_table_insert(table, &block, &missed) == 0);
        if (page > 100)
            CHECK(block_table_remove(table, (page - 100) << 12, &got) && got.size == 4000);
        if (block_table_bytes(table) > most)
            most = block_table_bytes(table);
    }
    CHECK(block_table_count(table) == 100);
    CHECK(most < 256 * 1024);
    block_table_destroy(table);
}

TEST(huge_sizes_survive_growing_old)
{
    struct block_table *table = block_table_create();
    struct block got, missed;
    for (uint64_t i = 0; i < 64; i++) {
        struct block block = {
            0x20000010ull + (i << 28), (1ull << 36) - 3 + i * i * 1000, 0, i, 7, 1};
        CHECK(block_table_insert(table, &block, &missed) == 0);
    }
    for (uint64_t i = 64; i-- > 0;) {
        CHECK(block_table_remove(table, 0x20000010ull + (i << 28), &got));
        CHECK(got.size == (1ull << 36) - 3 + i * i * 1000 && got.slack == i && got.site == 7 &&
              got.thread == 1);
    }
    block_table_destroy(table);
}

TEST(an_empty_table_has_nothing)
{
    struct block_table *table = block_table_create();
    struct block got, missed;
    CHECK(!has(table, 0x1000) && !block_table_remove(table, 0x1000, &got));
    CHECK(!has(table, 0) && !block_table_remove(table, 0, &got));
    CHECK(block_table_insert(table, &(struct block){.address = 7}, &missed) == -EINVAL);
    CHECK(block_table_insert(table, &(struct block){.address = 0x1001}, &missed) == -EINVAL);
    CHECK(block_table_insert(table, &(struct block){.address = 8}, &missed) == 0);
    CHECK(has(table, 8) && !has(table, 0) && !has(table, 9));
    CHECK(!block_table_remove(table, 9, &got));
    CHECK(block_table_count(table) == 1);
    block_table_destroy(table);
    block_table_destroy(NULL);
}

TEST(a_block_costs_what_was_promised)
{
    struct block_table *table = block_table_create();
    uint64_t fixed = block_table_bytes(table) + 65536;
    struct block missed;
    for (uint64_t i = 0; i < 1500000; i++) {
        struct block block = {0x600000000000ull + i * 32, 24, i, 8 * (i % 8), 1, 1};
        CHECK(block_table_insert(table, &block, &missed) == 0);
        if (i % 100000 == 0)
            CHECK(block_table_bytes(table) <= fixed + i * 28);
    }
    CHECK(block_table_bytes(table) <= fixed + 1500000 * 26);
    CHECK(block_table_bytes(table) >= 1490000 * 16); /* it does count */
    block_table_destroy(table);
}

/* Few survivors all over a large heap. */
TEST(blocks_that_went_cost_little)
{
    struct block_table *table = block_table_create();
    struct block missed, got;
    uint64_t const all = 1000000, stays = 512;
    for (uint64_t i = 0; i < all; i++)
        CHECK(block_table_insert(table, &(struct block){0x600000000000ull + i * 64, 48, i, 0, 1, 1},
                                 &missed) == 0);
    uint64_t const full = block_table_bytes(table);
    for (uint64_t i = 0; i < all; i++)
        if (i % stays)
            CHECK(block_table_remove(table, 0x600000000000ull + i * 64, &got));
    CHECK(block_table_bytes(table) < full / 10);
    for (uint64_t i = 0; i < all; i++)
        CHECK(has(table, 0x600000000000ull + i * 64) == (i % stays == 0));
    block_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_random_steps_agree_with_an_array),
        cmocka_unit_test(a_page_full_of_blocks_keeps_them_all),
        cmocka_unit_test(pages_that_were_left_are_given_back),
        cmocka_unit_test(huge_sizes_survive_growing_old),
        cmocka_unit_test(an_empty_table_has_nothing),
        cmocka_unit_test(a_block_costs_what_was_promised),
        cmocka_unit_test(blocks_that_went_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
