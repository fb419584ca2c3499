/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks at any distance from one another: the table against a plain array, with the strides
 * that allocators give to large and aligned blocks.  A table whose search does not end is
 * noticed by the time limit of the test. */
#include "capture/books/block_table.h"

#include <stdlib.h>

#include "check.h"
#include "random.h"

#define BLOCKS 3000u

struct model {
    uint64_t base, stride;
    bool is_live[BLOCKS];
    uint32_t order[BLOCKS];
};

static uint64_t address_of(const struct model *model, uint32_t number)
{
    return model->base + number * model->stride;
}

static struct block block_of(const struct model *model, uint32_t number)
{
    return (struct block){.address = address_of(model, number),
                          .size = model->stride,
                          .time_ns = (uint64_t)number << BLOCK_TIME_SHIFT,
                          .site = number,
                          .thread = number % 7};
}

static void put(struct block_table *table, struct model *model, uint32_t number)
{
    struct block missed, block = block_of(model, number);
    CHECK(block_table_insert(table, &block, &missed) == (model->is_live[number] ? 1 : 0));
    model->is_live[number] = true;
}

static void remove_block(struct block_table *table, struct model *model, uint32_t number)
{
    struct block got;
    CHECK(block_table_remove(table, address_of(model, number), &got) == model->is_live[number]);
    CHECK(!model->is_live[number] || (got.site == number && got.size == model->stride));
    model->is_live[number] = false;
}

/* Both agree about every block, and about addresses beside them. */
static void compare(const struct block_table *table, const struct model *model)
{
    uint64_t live = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t site = UINT32_MAX;
        uint64_t const address = address_of(model, i);
        CHECK(block_table_peek(table, address, &site) == model->is_live[i]);
        CHECK(!model->is_live[i] || site == i);
        CHECK(model->stride <= 8 || !block_table_peek(table, address + 8, &site));
        live += model->is_live[i];
    }
    CHECK(block_table_count(table) == live);
}

static void shuffle(struct model *model, struct random *random)
{
    for (uint32_t i = 0; i < BLOCKS; i++)
        model->order[i] = i;
    for (uint32_t i = BLOCKS; i-- > 1;) {
        uint32_t const other = (uint32_t)random_below(random, i + 1), kept = model->order[i];
        model->order[i] = model->order[other];
        model->order[other] = kept;
    }
}

/* All come in one order, half of them go and come again in another, all go. */
static void try_stride(uint64_t base, uint64_t stride, struct random *random)
{
    struct model *model = calloc(1, sizeof(*model));
    struct block_table *table = block_table_create();
    CHECK(model && table);
    model->base = base;
    model->stride = stride;
    shuffle(model, random);
    for (uint32_t i = 0; i < BLOCKS; i++)
        put(table, model, random_below(random, 2) ? model->order[i] : i);
    compare(table, model);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t const number = model->order[random_below(random, BLOCKS)];
        if (random_below(random, 2))
            remove_block(table, model, number);
        else
            put(table, model, number);
    }
    compare(table, model);
    for (uint32_t i = 0; i < BLOCKS; i++)
        remove_block(table, model, model->order[i]);
    compare(table, model);
    block_table_destroy(table);
    free(model);
}

TEST(blocks_at_every_power_of_two_are_kept)
{
    struct random random = random_from(1);
    for (unsigned bits = 4; bits <= 32; bits++) {
        try_stride(0x7f0000000010ull, 1ull << bits, &random);
        try_stride(0x7f0000000010ull, (1ull << bits) + 16, &random);
        try_stride(0x7f0000000010ull, 3ull << bits, &random);
    }
}

TEST(blocks_in_each_eighth_of_a_region_are_kept)
{
    struct random random = random_from(2);
    for (uint64_t page = 0; page < 16; page++)
        try_stride(0x10000000ull + page * 4096, 1ull << 15, &random);
}

TEST(blocks_at_any_distance_are_kept)
{
    struct random random = random_from(3);
    for (unsigned i = 0; i < 60; i++) {
        uint64_t const stride = (1 + random_below(&random, 1u << 16)) << random_below(&random, 14);
        try_stride(8 + (random_next(&random) >> 20) / 8 * 8, 8 * stride, &random);
    }
}

/* As `python3 -c "a=[bytearray(65536) for i in range(300)]"` has them. */
TEST(few_blocks_of_64_kib_do_not_fill_a_table)
{
    struct block_table *table = block_table_create();
    struct block missed;
    CHECK(table);
    for (uint64_t i = 0; i < 300; i++)
        CHECK(block_table_insert(
                  table, &(struct block){.address = 0x7f1234500010ull + i * 69632, .size = 65536},
                  &missed) == 0);
    for (uint64_t i = 0; i < 300; i++)
        CHECK(block_table_insert(
                  table, &(struct block){.address = 0x7e1234500000ull + i * 65536, .size = 65536},
                  &missed) == 0);
    CHECK(block_table_count(table) == 600);
    block_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_at_every_power_of_two_are_kept),
        cmocka_unit_test(blocks_in_each_eighth_of_a_region_are_kept),
        cmocka_unit_test(blocks_at_any_distance_are_kept),
        cmocka_unit_test(few_blocks_of_64_kib_do_not_fill_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
