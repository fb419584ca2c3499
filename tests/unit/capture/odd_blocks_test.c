/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of odd blocks against a plain array, with addresses that meet in the table. */
#include "capture/books/odd_blocks.h"

#include <stdbool.h>

#include "base/hash.h"
#include "check.h"
#include "random.h"

#define PLACES 700u

struct model {
    uint64_t address[PLACES], size[PLACES], slack[PLACES];
    bool there[PLACES];
    size_t count;
};

/* Half of them are looked for at the last few places of a table of this size, so that searches
 * go round its end. */
static void choose_addresses(struct model *model, struct random *random)
{
    uint64_t const mask = (64u << random_below(random, 6)) - 1;
    uint64_t const stride = (uint64_t)16 << random_below(random, 30);
    uint64_t address = 0x7f0000000010;
    for (size_t i = 0; i < PLACES; i++) {
        address += stride;
        for (unsigned tries = 0; i % 2 && tries < 400 && (hash_mix(address) & mask) < mask - 2;
             tries++)
            address += stride;
        model->address[i] = address;
    }
}

static void compare(const struct odd_blocks *odd, const struct model *model)
{
    for (size_t i = 0; i < PLACES; i++) {
        uint64_t size = 1, slack = 1;
        odd_blocks_find(odd, model->address[i], &size, &slack);
        CHECK(size == (model->there[i] ? model->size[i] : 0));
        CHECK(slack == (model->there[i] ? model->slack[i] : 0));
    }
    CHECK(odd->count == model->count);
}

static void put(struct odd_blocks *odd, struct model *model, size_t at, struct random *random)
{
    model->size[at] = random_next(random) >> random_below(random, 64);
    model->slack[at] = random_next(random) >> random_below(random, 64);
    model->count += !model->there[at];
    model->there[at] = true;
    CHECK(odd_blocks_put(odd, model->address[at], model->size[at], model->slack[at]) == 0);
}

static void remove_block(struct odd_blocks *odd, struct model *model, size_t at)
{
    uint64_t size, slack;
    odd_blocks_remove(odd, model->address[at], &size, &slack);
    CHECK(size == (model->there[at] ? model->size[at] : 0));
    CHECK(slack == (model->there[at] ? model->slack[at] : 0));
    model->count -= model->there[at];
    model->there[at] = false;
}

TEST(odd_blocks_are_what_was_put_in)
{
    struct random random = random_from(1);
    for (int run = 0; run < 12; run++) {
        struct odd_blocks odd = {.items = NULL};
        struct model model = {.count = 0};
        choose_addresses(&model, &random);
        compare(&odd, &model);
        uint64_t const puts = 1 + random_below(&random, 9); /* of ten */
        for (int i = 0; i < 4000; i++) {
            size_t const at = random_below(&random, PLACES);
            if (random_below(&random, 10) < puts)
                put(&odd, &model, at, &random);
            else
                remove_block(&odd, &model, at);
            if (i % 200 == 0)
                compare(&odd, &model);
        }
        for (size_t i = 0; i < PLACES; i++)
            remove_block(&odd, &model, i);
        compare(&odd, &model);
        odd_blocks_fini(&odd);
        CHECK(odd_blocks_bytes(&odd) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(odd_blocks_are_what_was_put_in)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
