/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/heap_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"

#define PLACES  400u
#define SITES   9u
#define THREADS 4u
#define TICK    16384u /* blocks know their time to 1024 */

/* What is live of one owner. */
struct level {
    int64_t bytes, count, slack;
};

/* The same books kept the slow and simple way. */
struct model {
    struct {
        bool live;
        struct block block;
    } places[PLACES];
    struct level sites[SITES], threads[THREADS], all;
    struct level peak_sites[SITES], peak_threads[THREADS], peak;
    int64_t site_sums[SITES][COLUMN_LIMIT], thread_sums[THREADS][COLUMN_LIMIT];
    uint64_t peak_ns, frees, temporary;
    int64_t bucket_min, bucket_max;
};

static uint64_t address_of(uint32_t place)
{
    return 0x10000 + (uint64_t)place * 4096;
}

static void add_level(struct level *level, const struct block *block, int sign)
{
    level->bytes += sign * (int64_t)block->size;
    level->count += sign;
    level->slack += sign * (int64_t)block->slack;
}

static void move_levels(struct model *model, const struct block *block, int sign)
{
    add_level(&model->sites[block->site], block, sign);
    add_level(&model->threads[block->thread], block, sign);
    add_level(&model->all, block, sign);
    if (model->all.bytes < model->bucket_min)
        model->bucket_min = model->all.bytes;
    if (model->all.bytes > model->bucket_max)
        model->bucket_max = model->all.bytes;
}

static void add_sums(int64_t sums[COLUMN_LIMIT], const struct block *block, enum column first,
                     int sign)
{
    bool freed = first == COL_HEAP_FREES;
    sums[first] += sign;
    sums[freed ? COL_HEAP_FREED : COL_HEAP_BYTES] += sign * (int64_t)block->size;
    sums[freed ? COL_HEAP_SLACK_FREED : COL_HEAP_SLACK] += sign * (int64_t)block->slack;
}

static void note_peak(struct model *model, uint64_t now)
{
    if (model->all.bytes <= model->peak.bytes)
        return;
    model->peak = model->all;
    model->peak_ns = now;
    memcpy(model->peak_sites, model->sites, sizeof(model->sites));
    memcpy(model->peak_threads, model->threads, sizeof(model->threads));
}

static void model_alloc(struct model *model, uint32_t place, const struct block *block)
{
    model->places[place].live = true;
    model->places[place].block = *block;
    move_levels(model, block, 1);
    add_sums(model->site_sums[block->site], block, COL_HEAP_CALLS, 1);
    add_sums(model->thread_sums[block->thread], block, COL_HEAP_CALLS, 1);
    model->site_sums[block->site][COL_SIZE_0 + size_class(block->size)]++;
    note_peak(model, block->time_ns);
}

/* `sign` -1 takes a free back. */
static void model_free(struct model *model, uint32_t place, const struct freeing *freeing, int sign)
{
    struct block *block = &model->places[place].block;
    model->places[place].live = sign < 0;
    move_levels(model, block, -sign);
    add_sums(model->site_sums[block->site], block, COL_HEAP_FREES, sign);
    add_sums(model->thread_sums[block->thread], block, COL_HEAP_FREES, sign);
    model->site_sums[block->site]
                    [COL_LIFETIME_0 + lifetime_class(freeing->time_ns - block->time_ns)] += sign;
    model->frees += (uint64_t)(int64_t)sign;
    if (!freeing->temporary)
        return;
    model->site_sums[freeing->site][COL_HEAP_TEMPORARY] += sign;
    model->thread_sums[freeing->thread][COL_HEAP_TEMPORARY] += sign;
    model->temporary += (uint64_t)(int64_t)sign;
}

/* What the book said, bucket by bucket. */
struct heard {
    int64_t site_sums[SITES][COLUMN_LIMIT], thread_sums[THREADS][COLUMN_LIMIT];
};

static void close_bucket(struct heap_book *book, struct model *model, struct heard *heard,
                         bool histograms)
{
    struct bucket bucket = {0};
    heap_book_close_gauges(book, &bucket.gauges);
    CHECK(heap_book_close_bucket(book, &bucket) == 0);
    if (histograms)
        CHECK(heap_book_close_histograms(book, &bucket) == 0);
    for (size_t i = 0; i < bucket.cell_count; i++) {
        CHECK(bucket.cells[i].key < SITES && bucket.cells[i].value != 0);
        heard->site_sums[bucket.cells[i].key][bucket.cells[i].column] += bucket.cells[i].value;
    }
    for (size_t i = 0; i < bucket.thread_cell_count; i++) {
        CHECK(bucket.thread_cells[i].key < THREADS);
        heard->thread_sums[bucket.thread_cells[i].key][bucket.thread_cells[i].column] +=
            bucket.thread_cells[i].value;
    }
    CHECK(bucket.gauges.heap_live_end == model->all.bytes);
    CHECK(bucket.gauges.heap_live_max == model->bucket_max);
    CHECK(bucket.gauges.heap_live_min == model->bucket_min);
    model->bucket_min = model->bucket_max = model->all.bytes;
    free(bucket.cells);
    free(bucket.thread_cells);
}

static void check_sums(const struct heard *heard, const struct model *model, bool histograms)
{
    unsigned limit = histograms ? COLUMN_LIMIT : COL_SIZE_0;
    for (uint32_t site = 0; site < SITES; site++)
        assert_memory_equal(heard->site_sums[site], model->site_sums[site],
                            limit * sizeof(int64_t));
    assert_memory_equal(heard->thread_sums, model->thread_sums, sizeof(heard->thread_sums));
}

static void check_levels(const struct cell *cells, size_t count, const struct level *levels,
                         uint32_t owners)
{
    struct level got[SITES] = {{0, 0, 0}};
    for (size_t i = 0; i < count; i++) {
        CHECK(cells[i].key < owners);
        struct level *level = &got[cells[i].key];
        if (cells[i].column == COL_HEAP_BYTES)
            level->bytes += cells[i].value;
        else if (cells[i].column == COL_HEAP_CALLS)
            level->count += cells[i].value;
        else if (cells[i].column == COL_HEAP_SLACK)
            level->slack += cells[i].value;
        else
            fail_msg("column %d in a pin", cells[i].column);
    }
    assert_memory_equal(got, levels, owners * sizeof(*levels));
}

static void check_pins(const struct heap_book *book, const struct model *model)
{
    struct pin now = {.kind = PIN_END}, peak = {.kind = PIN_END};
    CHECK(heap_book_pin_now(book, &now) == 0 && heap_book_pin_peak(book, &peak) == 0);
    check_levels(now.cells, now.cell_count, model->sites, SITES);
    check_levels(now.thread_cells, now.thread_cell_count, model->threads, THREADS);
    check_levels(peak.cells, peak.cell_count, model->peak_sites, SITES);
    check_levels(peak.thread_cells, peak.thread_cell_count, model->peak_threads, THREADS);
    CHECK(peak.kind == PIN_PEAK && peak.time_ns == model->peak_ns);
    free(now.cells);
    free(now.thread_cells);
    free(peak.cells);
    free(peak.thread_cells);
}

static void check_totals(const struct heap_book *book, const struct model *model)
{
    struct totals totals;
    int64_t calls = 0, bytes = 0, freed = 0, slack = 0;
    heap_book_totals(book, &totals);
    for (uint32_t site = 0; site < SITES; site++) {
        calls += model->site_sums[site][COL_HEAP_CALLS];
        bytes += model->site_sums[site][COL_HEAP_BYTES];
        freed += model->site_sums[site][COL_HEAP_FREED];
        slack += model->site_sums[site][COL_HEAP_SLACK];
    }
    CHECK(totals.calls == (uint64_t)calls && totals.bytes == (uint64_t)bytes);
    CHECK(totals.frees == model->frees && totals.freed_bytes == (uint64_t)freed);
    CHECK(totals.temporary == model->temporary && totals.slack_bytes == (uint64_t)slack);
    CHECK(totals.peak_bytes == (uint64_t)model->peak.bytes);
    CHECK(totals.peak_count == (uint64_t)model->peak.count);
    CHECK(totals.peak_slack_bytes == (uint64_t)model->peak.slack);
    CHECK(totals.peak_time_ns == model->peak_ns);
    CHECK(heap_book_live_blocks(book) == (uint64_t)model->all.count);
}

struct run {
    struct random random;
    struct heap_book *book;
    struct model model;
    struct heard heard;
    uint64_t now;
};

static void do_alloc(struct run *run, uint32_t place)
{
    struct block block = {
        .address = address_of(place),
        .size = random_below(&run->random, random_below(&run->random, 50) ? 3000 : 1ull << 38),
        .time_ns = run->now,
        .site = (uint32_t)random_below(&run->random, SITES),
        .thread = (uint32_t)random_below(&run->random, THREADS)};
    bool missed = run->model.places[place].live; /* the free of the one before it was lost */
    assert_int_equal(heap_book_alloc(run->book, &block), missed);
    if (missed)
        model_free(&run->model, place, &(struct freeing){.time_ns = run->now}, 1);
    model_alloc(&run->model, place, &block);
}

/* Made and freed before anything else happened: it never was in the table, and may be the peak. */
static void do_pair(struct run *run, uint32_t place)
{
    struct block const block = {.address = address_of(place),
                                .size = random_below(&run->random, 1u << 20),
                                .time_ns = run->now,
                                .site = (uint32_t)random_below(&run->random, SITES),
                                .thread = (uint32_t)random_below(&run->random, THREADS)};
    struct freeing const freeing = {
        .time_ns = run->now, .temporary = true, .thread = block.thread, .site = block.site};
    heap_book_pair(run->book, &block);
    model_alloc(&run->model, place, &block);
    model_free(&run->model, place, &freeing, 1);
}

static void do_free(struct run *run, uint32_t place)
{
    struct freeing freeing = {.address = address_of(place),
                              .time_ns = run->now,
                              .temporary = random_below(&run->random, 3) == 0,
                              .moving = random_below(&run->random, 4) == 0,
                              .ring = (uint32_t)random_below(&run->random, 3),
                              .thread = (uint32_t)random_below(&run->random, THREADS),
                              .site = (uint32_t)random_below(&run->random, SITES)};
    CHECK(heap_book_free(run->book, &freeing) == 0);
    model_free(&run->model, place, &freeing, 1);
    CHECK(heap_book_free(run->book, &freeing) == -ENOENT);
    if (!freeing.moving || random_below(&run->random, 2))
        return;
    /* the realloc failed, a little later; others did something meanwhile */
    uint32_t other = (place + 1) % PLACES;
    if (!run->model.places[other].live)
        do_alloc(run, other);
    run->now += TICK;
    if (random_below(&run->random, 2))
        close_bucket(run->book, &run->model, &run->heard, random_below(&run->random, 2));
    CHECK(heap_book_restore(run->book, address_of(place), freeing.ring + 3, run->now) == -ENOENT);
    CHECK(heap_book_restore(run->book, address_of(place), freeing.ring, run->now) == 0);
    model_free(&run->model, place, &freeing, -1);
    note_peak(&run->model, run->now);
}

TEST(random_events_agree_with_simple_books)
{
    struct run *run = calloc(1, sizeof(*run));
    run->random = random_from(3);
    run->book = heap_book_create();
    CHECK(heap_book_reserve(run->book, SITES, THREADS) == 0);
    for (int i = 0; i < 60000; i++) {
        uint32_t place = (uint32_t)random_below(&run->random, PLACES);
        run->now += TICK * (random_below(&run->random, 100) ? 1 : 5000000);
        bool live = run->model.places[place].live;
        uint32_t site;
        CHECK(block_table_peek(heap_book_blocks(run->book), address_of(place), &site) == live);
        /* up and down, so that there are many peaks and valleys */
        bool filling = i / 300 % 2 == 0;
        if (live && (!filling || random_below(&run->random, 4) == 0))
            do_free(run, place);
        else if (!live && (filling || random_below(&run->random, 4) == 0))
            do_alloc(run, place);
        else if (live && random_below(&run->random, 10) == 0)
            do_alloc(run, place);
        else if (!live && random_below(&run->random, 4) == 0)
            do_pair(run, place);
        if (i % 113 == 0) {
            check_totals(run->book, &run->model);
            check_pins(run->book, &run->model);
        }
        if (random_below(&run->random, 200) == 0) {
            bool histograms = random_below(&run->random, 4) == 0;
            close_bucket(run->book, &run->model, &run->heard, histograms);
            check_sums(&run->heard, &run->model, histograms);
        }
    }
    close_bucket(run->book, &run->model, &run->heard, true);
    check_sums(&run->heard, &run->model, true);
    check_totals(run->book, &run->model);
    heap_book_destroy(run->book);
    free(run);
}

TEST(a_new_peak_shows_the_sites_of_its_own_instant)
{
    struct heap_book *book = heap_book_create();
    CHECK(heap_book_reserve(book, 3, 1) == 0);
    struct level sites[3] = {{100, 1, 8}, {0, 0, 0}, {1000, 1, 0}};
    struct pin pin = {.cells = NULL};
    CHECK(heap_book_alloc(book, &(struct block){0x1000, 100, 1, 8, 0, 0}) == 0);
    CHECK(heap_book_alloc(book, &(struct block){0x2000, 1000, 2, 0, 2, 0}) == 0); /* the peak */
    CHECK(heap_book_free(book, &(struct freeing){.address = 0x2000}) == 0);
    CHECK(heap_book_alloc(book, &(struct block){0x3000, 900, 3, 0, 1, 0}) == 0);
    CHECK(heap_book_alloc(book, &(struct block){0x4000, 100, 4, 0, 1, 0}) == 0); /* just as high */
    CHECK(heap_book_pin_peak(book, &pin) == 0 && pin.time_ns == 2);
    check_levels(pin.cells, pin.cell_count, sites, 3);
    free(pin.cells);
    free(pin.thread_cells);
    heap_book_destroy(book);
    heap_book_destroy(NULL);
}

TEST(a_block_that_lives_for_a_year_keeps_its_site)
{
    struct heap_book *book = heap_book_create();
    struct totals totals;
    uint64_t year = 365ull * 86400 * 1000000000;
    CHECK(heap_book_reserve(book, 5000, 3000) == 0);
    CHECK(heap_book_alloc(book, &(struct block){0x1000, 1, 77, 0, 4999, 2999}) == 0);
    CHECK(heap_book_alloc(book, &(struct block){0x1000 + (1ull << 28), 1, 77, 0, 7, 7}) == 0);
    struct freeing freeing = {.address = 0x1000, .time_ns = year};
    CHECK(heap_book_free(book, &freeing) == 0);
    struct bucket bucket = {0};
    CHECK(heap_book_close_bucket(book, &bucket) == 0);
    CHECK(heap_book_close_histograms(book, &bucket) == 0);
    bool seen = false;
    for (size_t i = 0; i < bucket.cell_count; i++)
        seen |= bucket.cells[i].key == 4999 &&
                bucket.cells[i].column == COL_LIFETIME_0 + lifetime_class(year);
    CHECK(seen);
    heap_book_totals(book, &totals);
    CHECK(totals.calls == 2 && totals.frees == 1);
    free(bucket.cells);
    free(bucket.thread_cells);
    heap_book_destroy(book);
}

/* What a fork should show, and what it does. */
struct fork_model {
    struct block expected[PLACES];
    unsigned live, seen, wrong;
};

static void compare_at_fork(void *context, const struct block *block)
{
    struct fork_model *model = context;
    const struct block *expected = &model->expected[(block->address - address_of(0)) / 4096];
    model->seen++;
    model->wrong += expected->address != block->address || expected->size != block->size ||
                    expected->slack != block->slack || expected->site != block->site;
}

/* Makes or frees a block at a random place. */
static void make_step(struct heap_book *book, struct random *random, struct fork_model *now,
                      uint64_t time_ns)
{
    uint32_t place = (uint32_t)random_below(random, PLACES);
    struct block *block = &now->expected[place];
    if (block->address) {
        struct freeing freeing = {.address = block->address, .time_ns = time_ns};
        CHECK(heap_book_free(book, &freeing) == 0);
        block->address = 0;
        now->live--;
    } else {
        *block = (struct block){.address = address_of(place),
                                .size = 1 + random_below(random, 1ull << 40),
                                .slack = random_below(random, 5000),
                                .time_ns = time_ns,
                                .site = (uint32_t)random_below(random, SITES)};
        CHECK(heap_book_alloc(book, block) == 0);
        now->live++;
    }
}

TEST(what_was_live_at_a_fork_can_be_asked_for_later)
{
    static struct fork_model now, at_fork;
    struct random random = random_from(5);
    struct heap_book *book = heap_book_create();
    uint64_t time_ns = TICK;
    CHECK(heap_book_reserve(book, SITES, 1) == 0);
    for (uint32_t id = 1; id <= 50; id++) {
        for (int i = 0; i < 300; i++)
            make_step(book, &random, &now, time_ns += TICK);
        CHECK(!heap_book_has_forked(book, id));
        CHECK(heap_book_fork(book, id, time_ns) == 0);
        CHECK(heap_book_has_forked(book, id) && heap_book_has_forked(book, id - 1));
        at_fork = now;
        for (uint64_t i = random_below(&random, 1000); i > 0; i--)
            make_step(book, &random, &now, time_ns += TICK);
        CHECK(heap_book_visit_fork(book, id, compare_at_fork, &at_fork));
        CHECK(at_fork.seen == at_fork.live && at_fork.wrong == 0);
        at_fork.seen = at_fork.live;
    }
    heap_book_destroy(book);
}

TEST(a_fork_long_ago_is_forgotten)
{
    static struct fork_model now;
    struct random random = random_from(6);
    struct heap_book *book = heap_book_create();
    CHECK(heap_book_reserve(book, SITES, 1) == 0);
    CHECK(heap_book_fork(book, 1, 0) == 0);
    CHECK(heap_book_visit_fork(book, 1, compare_at_fork, &now));
    CHECK(!heap_book_visit_fork(book, 2, compare_at_fork, &now)); /* never was */
    for (uint64_t i = 1; i < 200000; i++)
        make_step(book, &random, &now, i * TICK);
    CHECK(heap_book_has_forked(book, 1) && !heap_book_visit_fork(book, 1, compare_at_fork, &now));
    for (uint32_t id = 2; id < 1000; id++)
        CHECK(heap_book_fork(book, id, 0) == 0);
    CHECK(!heap_book_visit_fork(book, 2, compare_at_fork, &now));
    heap_book_destroy(book);
}

TEST(what_a_process_cannot_have_is_not_kept)
{
    struct heap_book *book = heap_book_create();
    struct totals totals;
    unsigned taken = 0;
    CHECK(book && heap_book_reserve(book, 1, 1) == 0);
    heap_book_limit(book, &(struct heap_limits){100, {UINT64_MAX, UINT64_MAX}});
    for (uint32_t i = 0; i < 1000; i++)
        taken += heap_book_alloc(book, &(struct block){.address = address_of(i), .size = 8}) == 0;
    heap_book_totals(book, &totals);
    CHECK(taken == 100 && totals.calls == 100 && heap_book_refused(book) == 900);
    heap_book_limit(book, &(struct heap_limits){101, {UINT64_MAX, UINT64_MAX}});
    CHECK(heap_book_alloc(book, &(struct block){.address = address_of(999), .size = 8}) == 0);
    heap_book_destroy(book);
}

#define SPARSE_BLOCKS 1000000u
#define ODD_SLACK     4096u

/* Far apart, and of sizes that need a place of their own: such a block takes ten times what
 * others do. */
static uint64_t flood(struct heap_book *book)
{
    uint64_t taken = 0;
    for (uint64_t i = 1; i <= SPARSE_BLOCKS; i++)
        taken += heap_book_alloc(book, &(struct block){.address = i << 12,
                                                       .size = 100,
                                                       .slack = i % 2 ? ODD_SLACK : 4}) == 0;
    return taken;
}

TEST(what_blocks_cost_is_bounded_however_far_apart_they_lie)
{
    struct heap_book *book = heap_book_create();
    struct totals totals;
    CHECK(book && heap_book_reserve(book, 1, 1) == 0);
    heap_book_limit(book, &(struct heap_limits){SPARSE_BLOCKS, {16u << 20, UINT64_MAX}});
    uint64_t const taken = flood(book);
    heap_book_totals(book, &totals);
    CHECK(heap_book_table_bytes(book) < 32u << 20);
    CHECK(taken > 50000 && taken < SPARSE_BLOCKS / 2 && totals.calls == taken);
    CHECK(heap_book_refused(book) == SPARSE_BLOCKS - taken);
    CHECK(heap_book_alloc(book, &(struct block){.address = (1 << 12) + 8, .size = 8}) ==
          0); /* has a page already */
    heap_book_destroy(book);
}

TEST(blocks_lie_in_no_more_pages_than_a_process_can_have)
{
    struct heap_book *book = heap_book_create();
    CHECK(book && heap_book_reserve(book, 1, 1) == 0);
    heap_book_limit(book, &(struct heap_limits){SPARSE_BLOCKS, {UINT64_MAX, 1000}});
    CHECK(flood(book) == 1000 && heap_book_refused(book) == SPARSE_BLOCKS - 1000);
    for (uint64_t at = 8; at < 4096; at += 8) /* in a page that has one there is room for all */
        CHECK(heap_book_alloc(book, &(struct block){.address = (1 << 12) + at, .size = 8}) == 0);
    CHECK(heap_book_free(book, &(struct freeing){.address = 2 << 12}) == 0);
    CHECK(heap_book_alloc(book, &(struct block){.address = 5000ull << 12, .size = 8}) == 0);
    heap_book_destroy(book);
}

struct giver {
    struct heap_book *book;
    struct heap_limits limits;
    unsigned asked;
};

static bool give_more(void *context)
{
    struct giver *giver = context;
    giver->asked++;
    giver->limits.table.bytes *= 2;
    giver->limits.table.pages *= 2;
    giver->limits.blocks *= 2;
    heap_book_limit(giver->book, &giver->limits);
    return true;
}

TEST(more_is_asked_for_before_a_block_is_refused)
{
    struct giver giver = {.book = heap_book_create(), .limits = {1000, {1u << 20, 1000}}};
    CHECK(giver.book && heap_book_reserve(giver.book, 1, 1) == 0);
    heap_book_limit(giver.book, &giver.limits);
    heap_book_ask_for_more(giver.book, give_more, &giver);
    CHECK(flood(giver.book) == SPARSE_BLOCKS && heap_book_refused(giver.book) == 0);
    CHECK(giver.asked > 4 && giver.asked < 40);
    heap_book_destroy(giver.book);
}

/* What a program says may be anything; the sums are then, too, but they do no harm (run with
 * UBSan). */
TEST(absurd_sizes_and_rates_are_summed_without_harm)
{
    static const uint64_t rates[] = {1, 1ull << 31, 1ull << 40, 1ull << 59};
    struct heap_book *book = heap_book_create();
    struct totals totals;
    uint64_t address = 0x1000;
    CHECK(heap_book_reserve(book, 8, 8) == 0);
    for (uint32_t round = 0; round < 40; round++) {
        uint64_t const size = round % 2 ? 1 : (uint64_t)INT64_MAX - round;
        CHECK(heap_book_set_rate(book, round % 8, rates[round % 4]) >= 0);
        CHECK(heap_book_alloc(book, &(struct block){address, size, 77, size, round % 8, 1}) == 0);
        struct freeing freeing = {.address = address, .time_ns = 100};
        if (round % 5 == 0)
            CHECK(heap_book_free(book, &freeing) == 0);
        address += 1ull << 32;
    }
    heap_book_totals(book, &totals);
    CHECK(totals.calls > 0);
    heap_book_destroy(book);
}

static void drop_bucket(struct heap_book *book)
{
    struct bucket bucket = {.begin_ns = 0};
    CHECK(heap_book_close_bucket(book, &bucket) == 0);
    free(bucket.cells);
    free(bucket.thread_cells);
}

static int64_t pinned_count(const struct heap_book *book)
{
    struct pin pin = {.cells = NULL};
    int64_t count = 0;
    CHECK(heap_book_pin_now(book, &pin) == 0);
    for (size_t i = 0; i < pin.cell_count; i++)
        count += pin.cells[i].column == COL_HEAP_CALLS ? pin.cells[i].value : 0;
    free(pin.cells);
    free(pin.thread_cells);
    return count;
}

TEST(what_is_live_is_right_again_after_more_than_a_bucket_can_count)
{
    uint64_t const rate = 3200000000; /* a sample of one byte stands for half of it */
    struct heap_book *book = heap_book_create();
    CHECK(book && heap_book_reserve(book, 1, 1) == 0 && heap_book_set_rate(book, 0, rate) >= 0);
    CHECK(heap_book_alloc(book, &(struct block){.address = 0x1000, .size = 1}) == 0);
    CHECK(heap_book_alloc(book, &(struct block){.address = 0x2000, .size = 1}) == 0);
    drop_bucket(book);
    CHECK(heap_book_alloc(book, &(struct block){.address = 0x3000, .size = 1}) == 0);
    CHECK(heap_book_free(book, &(struct freeing){.address = 0x1000}) == 0);
    CHECK(heap_book_free(book, &(struct freeing){.address = 0x2000}) == 0);
    drop_bucket(book);
    CHECK(pinned_count(book) > 1500000000 && pinned_count(book) < 1700000000);
    heap_book_destroy(book);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_live_at_a_fork_can_be_asked_for_later),
        cmocka_unit_test(a_fork_long_ago_is_forgotten),
        cmocka_unit_test(random_events_agree_with_simple_books),
        cmocka_unit_test(a_new_peak_shows_the_sites_of_its_own_instant),
        cmocka_unit_test(a_block_that_lives_for_a_year_keeps_its_site),
        cmocka_unit_test(what_a_process_cannot_have_is_not_kept),
        cmocka_unit_test(what_blocks_cost_is_bounded_however_far_apart_they_lie),
        cmocka_unit_test(more_is_asked_for_before_a_block_is_refused),
        cmocka_unit_test(blocks_lie_in_no_more_pages_than_a_process_can_have),
        cmocka_unit_test(absurd_sizes_and_rates_are_summed_without_harm),
        cmocka_unit_test(what_is_live_is_right_again_after_more_than_a_bucket_can_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
