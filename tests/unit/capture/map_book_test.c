/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/map_book.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"

#define PAGES 512u
#define SITES 5u
#define PAGE  4096u
#define BASE  0x7f0000000000ull

/* Every page knows who mapped it; 0: nobody. */
struct model {
    uint8_t owner[PAGES];
    uint16_t mapping[PAGES]; /* which mapping it belongs to */
    uint16_t left[30001];    /* pages left of each mapping */
    uint16_t mappings;
    uint64_t bytes[SITES], freed[SITES], calls[SITES], frees[SITES];
    uint64_t live, peak;
};

static void model_unmap(struct model *model, uint32_t from, uint32_t count)
{
    for (uint32_t page = from; page < from + count; page++) {
        if (!model->owner[page])
            continue;
        model->freed[model->owner[page] - 1] += PAGE;
        model->live -= PAGE;
        model->frees[model->owner[page] - 1] += --model->left[model->mapping[page]] == 0;
        model->owner[page] = 0;
    }
}

static void model_map(struct model *model, uint32_t from, uint32_t count, uint32_t site)
{
    model_unmap(model, from, count);
    memset(model->owner + from, (int)site + 1, count);
    model->left[++model->mappings] = (uint16_t)count;
    for (uint32_t page = from; page < from + count; page++)
        model->mapping[page] = model->mappings;
    model->bytes[site] += (uint64_t)count * PAGE;
    model->calls[site]++;
    model->live += (uint64_t)count * PAGE;
    if (model->live > model->peak)
        model->peak = model->live;
}

/* Sums of all buckets by site and column. */
struct sums {
    int64_t by[SITES][COLUMN_LIMIT];
};

static void add_bucket(struct map_book *book, struct sums *sums)
{
    struct bucket bucket = {0};
    CHECK(map_book_close_bucket(book, &bucket) == 0);
    for (size_t i = 0; i < bucket.cell_count; i++) {
        CHECK(bucket.cells[i].key < SITES);
        CHECK(i == 0 || bucket.cells[i].key != bucket.cells[i - 1].key ||
              bucket.cells[i].column != bucket.cells[i - 1].column); /* merged */
        sums->by[bucket.cells[i].key][bucket.cells[i].column] += bucket.cells[i].value;
    }
    free(bucket.cells);
}

static void check_sums(const struct sums *sums, const struct model *model)
{
    for (uint32_t site = 0; site < SITES; site++) {
        CHECK(sums->by[site][COL_MAP_BYTES] == (int64_t)model->bytes[site]);
        CHECK(sums->by[site][COL_MAP_FREED] == (int64_t)model->freed[site]);
        CHECK(sums->by[site][COL_MAP_CALLS] == (int64_t)model->calls[site]);
        CHECK(sums->by[site][COL_MAP_FREES] == (int64_t)model->frees[site]);
    }
}

TEST(random_mappings_agree_with_a_page_model)
{
    struct random random = random_from(2);
    struct map_book *book = map_book_create();
    static struct model model;
    struct sums sums = {0};
    struct totals totals;
    CHECK(book);
    for (int i = 0; i < 30000; i++) {
        uint32_t from = (uint32_t)random_below(&random, PAGES);
        uint32_t count = 1 + (uint32_t)random_below(&random, random_below(&random, 8) ? 16 : 200);
        uint32_t site = (uint32_t)random_below(&random, SITES);
        if (from + count > PAGES)
            count = PAGES - from;
        if (random_below(&random, 2)) {
            CHECK(map_book_map(book, BASE + from * PAGE, (uint64_t)count * PAGE, site) == 0);
            model_map(&model, from, count, site);
        } else {
            CHECK(map_book_unmap(book, BASE + from * PAGE, (uint64_t)count * PAGE) == 0);
            model_unmap(&model, from, count);
        }
        map_book_totals(book, &totals);
        CHECK(totals.bytes - totals.freed_bytes == model.live);
        CHECK(totals.peak_bytes == model.peak);
        if (i % 97 == 0) {
            add_bucket(book, &sums);
            check_sums(&sums, &model);
        }
    }
    CHECK(map_book_unmap(book, 0, UINT64_MAX) == 0); /* everything */
    model_unmap(&model, 0, PAGES);
    add_bucket(book, &sums);
    check_sums(&sums, &model);
    map_book_totals(book, &totals);
    CHECK(totals.bytes == totals.freed_bytes && totals.calls == totals.frees);
    map_book_destroy(book);
}

TEST(a_mapping_counts_as_freed_with_its_last_byte)
{
    struct map_book *book = map_book_create();
    struct totals totals;
    CHECK(map_book_map(book, BASE, 8 * PAGE, 1) == 0);
    CHECK(map_book_unmap(book, BASE, PAGE) == 0);
    CHECK(map_book_unmap(book, BASE + 7 * PAGE, PAGE) == 0);
    map_book_totals(book, &totals);
    CHECK(totals.calls == 1 && totals.frees == 0 && totals.freed_bytes == 2 * PAGE);
    CHECK(map_book_unmap(book, BASE + PAGE, 6 * PAGE) == 0);
    map_book_totals(book, &totals);
    CHECK(totals.frees == 1 && totals.freed_bytes == 8 * PAGE);
    CHECK(map_book_unmap(book, BASE, 8 * PAGE) == 0); /* nothing is there any more */
    map_book_totals(book, &totals);
    CHECK(totals.frees == 1 && totals.freed_bytes == 8 * PAGE);
    CHECK(totals.peak_bytes == 8 * PAGE && totals.peak_count == 1);
    map_book_destroy(book);
}

TEST(a_mapping_cut_in_pieces_is_still_one)
{
    struct map_book *book = map_book_create();
    struct totals totals;
    CHECK(map_book_map(book, BASE, 9 * PAGE, 1) == 0);
    CHECK(map_book_unmap(book, BASE + 2 * PAGE, PAGE) == 0);
    CHECK(map_book_unmap(book, BASE + 6 * PAGE, PAGE) == 0);
    CHECK(map_book_map(book, BASE + 64 * PAGE, PAGE, 1) == 0);
    CHECK(map_book_unmap(book, BASE, 3 * PAGE) == 0);
    CHECK(map_book_unmap(book, BASE + 6 * PAGE, 3 * PAGE) == 0);
    map_book_totals(book, &totals);
    CHECK(totals.calls == 2 && totals.frees == 0 && totals.freed_bytes == 6 * PAGE);
    CHECK(map_book_unmap(book, BASE, 9 * PAGE) == 0);
    map_book_totals(book, &totals);
    CHECK(totals.calls == 2 && totals.frees == 1 && totals.freed_bytes == 9 * PAGE);
    map_book_destroy(book);
}

TEST(nothing_and_nonsense_are_ignored)
{
    struct map_book *book = map_book_create();
    struct bucket bucket = {0};
    struct totals totals;
    CHECK(map_book_map(book, BASE, 0, 1) == 0);
    CHECK(map_book_map(book, UINT64_MAX - 100, 4096, 1) == 0);
    CHECK(map_book_unmap(book, BASE, 0) == 0);
    CHECK(map_book_close_bucket(book, &bucket) == 0 && bucket.cell_count == 0);
    map_book_totals(book, &totals);
    CHECK(totals.calls == 0 && totals.bytes == 0);
    /* an end that wraps around takes nothing that lies before its start */
    CHECK(map_book_map(book, 0, 64 * PAGE, 1) == 0);
    CHECK(map_book_unmap(book, 32 * PAGE, UINT64_MAX - 16 * PAGE) == 0);
    map_book_totals(book, &totals);
    CHECK(totals.freed_bytes == 32 * PAGE);
    map_book_destroy(book);
    map_book_destroy(NULL);
    free(bucket.cells);
}

struct seen {
    uint64_t count, end;
};

static void see(void *context, const struct owner_range *range)
{
    struct seen *seen = context;
    CHECK(range->start >= seen->end && range->end == range->start + PAGE);
    seen->end = range->end;
    seen->count++;
}

/* Page by page from the top down, as the kernel places them; what is left is in order.  Moving
 * all of them for each would take hours. */
TEST(a_million_mappings_are_no_matter)
{
    uint64_t const count = 1000000;
    struct map_book *book = map_book_create();
    struct bucket bucket = {0};
    struct totals totals;
    struct seen seen = {0};
    for (uint64_t i = 0; i < count; i++)
        CHECK(map_book_map(book, BASE - i * PAGE, PAGE, 0) == 0);
    for (uint64_t i = 0; i < count; i += 2) /* 7 and the count have no common divisor but 1 */
        CHECK(map_book_unmap(book, BASE - i * 7 % count * PAGE, PAGE) == 0);
    map_book_totals(book, &totals);
    map_book_visit(book, see, &seen);
    assert_int_equal(totals.calls, count);
    assert_int_equal(totals.frees, count / 2);
    assert_int_equal(seen.count, count / 2);
    CHECK(map_book_close_bucket(book, &bucket) == 0);
    free(bucket.cells);
    map_book_destroy(book);
}

/* Numbers of pieces are used again, and never for two mappings at a time. */
TEST(mappings_that_are_cut_are_freed_once)
{
    struct map_book *book = map_book_create();
    struct totals totals;
    for (unsigned i = 0; i < 1000; i++) {
        CHECK(map_book_map(book, BASE, 9 * PAGE, 0) == 0);
        CHECK(map_book_map(book, BASE + 9 * PAGE, 9 * PAGE, 0) == 0);
        CHECK(map_book_unmap(book, BASE + 2 * PAGE, PAGE) == 0);
        CHECK(map_book_unmap(book, BASE + 11 * PAGE, PAGE) == 0);
        CHECK(map_book_unmap(book, BASE + 5 * PAGE, 2 * PAGE) == 0);
        CHECK(map_book_unmap(book, BASE, 9 * PAGE) == 0);
        map_book_totals(book, &totals);
        assert_int_equal(totals.frees, 2 * i + 1);
        CHECK(map_book_unmap(book, BASE, 18 * PAGE) == 0);
        map_book_totals(book, &totals);
        assert_int_equal(totals.frees, 2 * i + 2);
    }
    map_book_destroy(book);
}

/* Mapped one by one, or one that is cut again and again. */
TEST(more_mappings_than_can_be_are_refused)
{
    struct map_book *book = map_book_create();
    uint64_t const many = 3u << 20;
    uint64_t refused = 0;
    CHECK(book && map_book_map(book, BASE, 2 * many * PAGE, 0) == 0);
    for (uint64_t i = 0; i < many / 2; i++)
        refused += map_book_unmap(book, BASE + 2 * i * PAGE, PAGE) < 0;
    CHECK(refused == 0);
    for (uint64_t i = 0; i < many / 2; i++)
        refused += map_book_map(book, 2 * BASE + 2 * i * PAGE, PAGE, 0) < 0;
    CHECK(refused > many / 4 && refused < many / 2);
    CHECK(map_book_unmap(book, BASE + 2 * (many - 10) * PAGE, PAGE) < 0);
    CHECK(map_book_unmap(book, BASE, 2 * many * PAGE) == 0); /* makes room */
    CHECK(map_book_map(book, BASE, PAGE, 0) == 0);
    map_book_destroy(book);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_mappings_agree_with_a_page_model),
        cmocka_unit_test(a_mapping_counts_as_freed_with_its_last_byte),
        cmocka_unit_test(a_mapping_cut_in_pieces_is_still_one),
        cmocka_unit_test(nothing_and_nonsense_are_ignored),
        cmocka_unit_test(a_million_mappings_are_no_matter),
        cmocka_unit_test(mappings_that_are_cut_are_freed_once),
        cmocka_unit_test(more_mappings_than_can_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
