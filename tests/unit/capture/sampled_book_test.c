/* SPDX-License-Identifier: Apache-2.0 */
/* sampled_book_test.c - books of a heap of which some sites are sampled, against an array of
 * blocks: what samples stand for, and how uncertain that is, of all, of each site and of each
 * thread; now, at the peak, and summed over buckets. */
#include "capture/books/heap_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model/sampling.h"
#include "random.h"

#define PLACES  150u
#define SITES   6u
#define THREADS 3u
#define OWNERS  (SITES + THREADS + 1) /* the last: all */
#define ALL     (OWNERS - 1)

static const uint64_t rates[SITES] = {0, 64, 4096, 4096, 512u << 10, 64u << 20};

struct level {
    int64_t bytes, count, spread, count_spread;
};

struct model {
    struct random random;
    struct heap_book *book;
    struct block blocks[PLACES];
    bool is_live[PLACES];
    uint64_t now;
    struct level levels[OWNERS], peak[OWNERS];
    int64_t told_spread[SITES], told_freed[SITES]; /* sums of cells over all buckets */
    int64_t made[SITES], gone[SITES];
};

/* What a block stands for: the same when it goes as when it came. */
static struct level worth(const struct block *block)
{
    if (rates[block->site] == 0)
        return (struct level){(int64_t)block->size, 1, 0, 0};
    struct sample_weight const weight =
        sample_weigh(block->size, block->slack, rates[block->site],
                     block->address ^ (block->time_ns >> BLOCK_TIME_SHIFT) << 20);
    return (struct level){(int64_t)weight.bytes, (int64_t)weight.calls, (int64_t)weight.spread,
                          (int64_t)(weight.calls * (weight.calls - 1))};
}

static void move(struct model *model, const struct block *block, int sign)
{
    uint32_t const owners[] = {block->site, SITES + block->thread, ALL};
    struct level const one = worth(block);
    for (unsigned i = 0; i < 3; i++) {
        struct level *level = &model->levels[owners[i]];
        level->bytes += sign * one.bytes;
        level->count += sign * one.count;
        level->spread += sign * one.spread;
        level->count_spread += sign * one.count_spread;
    }
    if (model->levels[ALL].bytes > model->peak[ALL].bytes)
        memcpy(model->peak, model->levels, sizeof(model->peak));
}

static void make(struct model *model, uint32_t place)
{
    static const uint64_t sizes[] = {1, 16, 100, 4000, 70000, 3u << 20};
    struct block const block = {.address = 0x10000 + (uint64_t)place * 4096,
                                .size = sizes[random_below(&model->random, 6)] +
                                        random_below(&model->random, 16),
                                .slack = (uint32_t)random_below(&model->random, 16),
                                .time_ns = model->now,
                                .site = (uint32_t)random_below(&model->random, SITES),
                                .thread = (uint32_t)random_below(&model->random, THREADS)};
    model->blocks[place] = block;
    model->is_live[place] = true;
    CHECK(heap_book_alloc(model->book, &block) == 0);
    model->made[block.site] += worth(&block).spread;
    move(model, &block, 1);
}

/* Now and then by a realloc that fails: the block is back as it was. */
static void end(struct model *model, uint32_t place)
{
    const struct block *block = &model->blocks[place];
    bool const fails = random_below(&model->random, 4) == 0;
    struct freeing const freeing = {.address = block->address,
                                    .time_ns = model->now,
                                    .moving = fails,
                                    .ring = 1,
                                    .thread = block->thread};
    CHECK(heap_book_free(model->book, &freeing) == 0);
    if (fails) {
        CHECK(heap_book_restore(model->book, block->address, 1, model->now) == 0);
        return;
    }
    model->gone[block->site] += worth(block).spread;
    model->is_live[place] = false;
    move(model, block, -1);
}

static void check_sums(const struct model *model)
{
    uint64_t live, peak;
    struct totals totals = {0};
    heap_book_spreads(model->book, &live, &peak);
    heap_book_totals(model->book, &totals);
    CHECK((int64_t)live == model->levels[ALL].spread);
    CHECK((int64_t)peak == model->peak[ALL].spread);
    heap_book_call_spreads(model->book, &live, &peak);
    CHECK((int64_t)live == model->levels[ALL].count_spread);
    CHECK((int64_t)peak == model->peak[ALL].count_spread);
    CHECK((int64_t)totals.peak_bytes == model->peak[ALL].bytes);
    CHECK((int64_t)totals.peak_count == model->peak[ALL].count);
    CHECK((int64_t)(totals.bytes - totals.freed_bytes) == model->levels[ALL].bytes);
    CHECK(heap_book_live_count(model->book) == model->levels[ALL].count);
}

static int64_t cell_of(const struct cell *cells, size_t count, uint32_t key, enum column column)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        if (cells[i].key == key && cells[i].column == column)
            sum += cells[i].value;
    return sum;
}

static void check_pin(const struct pin *pin, const struct level *levels)
{
    for (uint32_t site = 0; site < SITES; site++) {
        CHECK(cell_of(pin->cells, pin->cell_count, site, COL_HEAP_BYTES) == levels[site].bytes);
        CHECK(cell_of(pin->cells, pin->cell_count, site, COL_HEAP_CALLS) == levels[site].count);
        CHECK(cell_of(pin->cells, pin->cell_count, site, COL_HEAP_SPREAD) == levels[site].spread);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(cell_of(pin->thread_cells, pin->thread_cell_count, i, COL_HEAP_SPREAD) ==
              levels[SITES + i].spread);
}

static void check_pins(const struct model *model)
{
    struct pin peak = {.cells = NULL}, now = {.cells = NULL};
    CHECK(heap_book_pin_peak(model->book, &peak) == 0);
    CHECK(heap_book_pin_now(model->book, &now) == 0);
    check_pin(&peak, model->peak);
    check_pin(&now, model->levels);
    free(peak.cells);
    free(peak.thread_cells);
    free(now.cells);
    free(now.thread_cells);
}

static void close_bucket(struct model *model)
{
    struct bucket bucket = {.cells = NULL};
    CHECK(heap_book_close_bucket(model->book, &bucket) == 0);
    for (uint32_t site = 0; site < SITES; site++) {
        model->told_spread[site] += cell_of(bucket.cells, bucket.cell_count, site, COL_HEAP_SPREAD);
        model->told_freed[site] +=
            cell_of(bucket.cells, bucket.cell_count, site, COL_HEAP_SPREAD_FREED);
        CHECK(model->told_spread[site] == model->made[site]);
        CHECK(model->told_freed[site] == model->gone[site]);
    }
    free(bucket.cells);
    free(bucket.thread_cells);
}

static void check_seed(uint64_t seed)
{
    struct model *model = calloc(1, sizeof(*model));
    CHECK(model != NULL);
    model->random = random_from(seed);
    model->book = heap_book_create();
    CHECK(model->book && heap_book_reserve(model->book, SITES, THREADS) == 0);
    for (uint32_t site = 0; site < SITES; site++)
        CHECK(heap_book_set_rate(model->book, site, rates[site]) == 0);
    for (unsigned step = 0; step < 3000; step++) {
        uint32_t const place = (uint32_t)random_below(&model->random, PLACES);
        model->now += random_below(&model->random, 5000);
        if (model->is_live[place])
            end(model, place);
        else
            make(model, place);
        check_sums(model);
        if (random_below(&model->random, 100) == 0)
            close_bucket(model);
        if (random_below(&model->random, 100) == 0)
            check_pins(model);
    }
    heap_book_destroy(model->book);
    free(model);
}

TEST(samples_and_their_uncertainty_agree_with_simple_books)
{
    for (uint64_t seed = 0; seed < 10; seed++)
        check_seed(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_and_their_uncertainty_agree_with_simple_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
