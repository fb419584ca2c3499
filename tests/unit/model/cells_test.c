/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cells.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

#include "check.h"
#include "random.h"

static void fill(struct cell *cells, size_t count, unsigned keys)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t random = hash_mix(i + 1);
        cells[i] = (struct cell){.key = (uint32_t)(random % keys) * 0x10001,
                                 .column = (uint16_t)(1 + random % 5 * 50),
                                 .value = (int64_t)(random >> 50) + 1};
    }
}

static int64_t sum_of(const struct cell *cells, size_t count, uint32_t key, unsigned column)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        if (cells[i].key == key && cells[i].column == column)
            sum += cells[i].value;
    return sum;
}

static void tidying_orders_and_sums_without_losing_any(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 31, 33, 1000, 5000};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        size_t count = sizes[s];
        struct cell *before = calloc(count + 1, sizeof(*before));
        struct cell *cells = calloc(count + 1, sizeof(*cells));
        struct cell *scratch = calloc(count + 1, sizeof(*scratch));
        fill(before, count, 300);
        fill(cells, count, 300);
        size_t left = cells_tidy(cells, count, scratch);
        int64_t all_before = 0, all_after = 0;
        for (size_t i = 0; i < count; i++)
            all_before += before[i].value;
        for (size_t i = 0; i < left; i++) {
            all_after += cells[i].value;
            CHECK(cells[i].value == sum_of(before, count, cells[i].key, cells[i].column));
            CHECK(i == 0 || cells[i - 1].column < cells[i].column ||
                  (cells[i - 1].column == cells[i].column && cells[i - 1].key < cells[i].key));
        }
        CHECK(all_before == all_after);
        free(before);
        free(cells);
        free(scratch);
    }
}

static void cells_that_cancel_out_go(void **state)
{
    (void)state;
    struct cell cells[] = {{.key = 1, .column = 2, .value = 5},
                           {.key = 3, .column = 2, .value = 1},
                           {.key = 1, .column = 2, .value = -5}};
    struct cell scratch[3];
    CHECK(cells_tidy(cells, 3, scratch) == 1 && cells[0].key == 3);
}

static void cells_come_back_from_bytes(void **state)
{
    (void)state;
    struct cell cells[] = {{.key = 0, .column = 1, .value = INT64_MAX},
                           {.key = 7, .column = 1, .value = INT64_MIN},
                           {.key = UINT32_MAX, .column = 1, .value = -1},
                           {.key = 7, .column = 2, .value = 1},
                           {.key = 9, .column = COLUMN_LIMIT - 1, .value = 300}};
    struct byte_buffer buffer = {0};
    cells_put(&buffer, cells, 5);
    struct byte_reader reader = {.at = buffer.data, .end = buffer.data + buffer.size};
    struct cell *back;
    size_t count;
    CHECK(cells_parse(&reader, &back, &count) == 0 && count == 5 && bytes_left(&reader) == 0);
    for (size_t i = 0; i < 5; i++)
        CHECK(back[i].key == cells[i].key && back[i].column == cells[i].column &&
              back[i].value == cells[i].value);
    free(back);
    for (size_t size = 0; size < buffer.size; size++) { /* cut short anywhere, it is refused */
        uint8_t *exact = malloc(size + 1);
        memcpy(exact, buffer.data, size);
        reader = (struct byte_reader){.at = exact, .end = exact + size};
        CHECK(cells_parse(&reader, &back, &count) == -EINVAL && !back && count == 0);
        free(exact);
    }
    bytes_free(&buffer);
}

static void a_hostile_count_costs_nothing(void **state)
{
    (void)state;
    struct byte_buffer buffer = {0};
    put_varint(&buffer, 1);
    put_varint(&buffer, 1);
    put_varint(&buffer, UINT64_MAX);
    struct byte_reader reader = {.at = buffer.data, .end = buffer.data + buffer.size};
    struct cell *cells;
    size_t count;
    CHECK(cells_parse(&reader, &cells, &count) == -EINVAL && !cells);
    bytes_free(&buffer);
}

/* What is read of some columns is what there is of them in all. */
static void chosen_columns_are_those_of_all(void **state)
{
    (void)state;
    struct random random = random_from(1);
    struct cell_list chosen = {0};
    for (unsigned round = 0; round < 200; round++) {
        struct cell cells[300], scratch[300];
        bool wanted[COLUMN_LIMIT];
        for (size_t i = 0; i < 300; i++)
            cells[i] = (struct cell){
                .key = (uint32_t)random_below(&random, 500),
                .column = (uint16_t)(1 + random_below(&random, 6)),
                .value = (int64_t)(random_next(&random) >> random_below(&random, 64))};
        size_t const count = cells_tidy(cells, 300, scratch);
        for (size_t i = 0; i < COLUMN_LIMIT; i++)
            wanted[i] = random_below(&random, 2);
        struct byte_buffer buffer = {0};
        cells_put(&buffer, cells, count);
        struct byte_reader reader = {.at = buffer.data, .end = buffer.data + buffer.size};
        chosen.count = 0;
        CHECK(cells_parse_columns(&reader, wanted, &chosen) == 0 && bytes_left(&reader) == 0);
        size_t at = 0;
        for (size_t i = 0; i < count; i++) {
            if (!wanted[cells[i].column])
                continue;
            CHECK(at < chosen.count && chosen.items[at].key == cells[i].key);
            CHECK(chosen.items[at].column == cells[i].column);
            CHECK(chosen.items[at++].value == cells[i].value);
        }
        CHECK(at == chosen.count);
        reader = (struct byte_reader){.at = buffer.data, .end = buffer.data + buffer.size - 1};
        CHECK(cells_parse_columns(&reader, wanted, &chosen) == -EINVAL);
        bytes_free(&buffer);
    }
    vec_free(&chosen);
}

static void a_long_sum_stays_small_and_exact(void **state)
{
    (void)state;
    struct cell_sum sum = {0};
    struct cell cells[1000];
    fill(cells, 1000, 10);
    for (int i = 0; i < 1000; i++)
        CHECK(cell_sum_add(&sum, cells, 1000) == 0);
    CHECK(cell_sum_finish(&sum) == 0);
    CHECK(sum.list.count <= 50 && sum.list.room < 200000);
    for (size_t i = 0; i < sum.list.count; i++) {
        struct cell cell = sum.list.items[i];
        CHECK(cell.value == 1000 * sum_of(cells, 1000, cell.key, cell.column));
    }
    cell_sum_fini(&sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tidying_orders_and_sums_without_losing_any),
        cmocka_unit_test(cells_that_cancel_out_go),
        cmocka_unit_test(cells_come_back_from_bytes),
        cmocka_unit_test(a_hostile_count_costs_nothing),
        cmocka_unit_test(chosen_columns_are_those_of_all),
        cmocka_unit_test(a_long_sum_stays_small_and_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
