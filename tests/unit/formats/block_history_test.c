/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/block_history.h"

#include "check.h"

#define SLOTS  12
#define BLOCKS 400

static uint64_t seed;
static uint64_t random_below(uint64_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % limit;
}

/* A true history of one stack, with its sums per bucket and its state at an instant in one of them.
 */
struct history {
    struct stack_sums sums[SLOTS + 1];
    struct peak_state peak;
};

struct simulation {
    uint64_t sizes[BLOCKS];
    size_t live;
    struct history history;
};

static void simulate_event(struct simulation *run, uint32_t slot, uint64_t size_limit)
{
    struct stack_sums *sums = &run->history.sums[slot];
    if (run->live < BLOCKS && (run->live == 0 || random_below(2))) {
        uint64_t size = random_below(size_limit);
        run->sizes[run->live++] = size;
        sums->calls++;
        sums->bytes += size;
        return;
    }
    size_t victim = random_below(run->live);
    sums->frees++;
    sums->freed += run->sizes[victim];
    sums->temporary += victim == run->live - 1; /* the last one allocated */
    run->sizes[victim] = run->sizes[--run->live];
}

static struct history simulate(uint64_t start, uint64_t events, uint64_t size_limit, int temporary)
{
    struct simulation run = {.live = 0};
    uint32_t peak_bucket = (uint32_t)(start % SLOTS);
    seed = start;
    run.history.peak.slot = peak_bucket;
    for (uint32_t bucket = 0; bucket < SLOTS; bucket++) {
        uint32_t slot = bucket + (bucket > peak_bucket);
        uint64_t stop = random_below(events + 1);
        run.history.sums[slot].slot = slot;
        for (uint64_t i = 0; i <= events; i++) {
            if (i == stop && bucket == peak_bucket) {
                run.history.peak.count = run.live;
                for (size_t k = 0; k < run.live; k++)
                    run.history.peak.bytes += run.sizes[k];
            }
            if (i < events)
                simulate_event(&run, slot, size_limit);
        }
        if (!temporary)
            run.history.sums[slot].temporary = 0;
    }
    /* the slot after the peak belongs to the splitter: close the gap in the list */
    for (uint32_t i = peak_bucket + 1; i < SLOTS; i++)
        run.history.sums[i] = run.history.sums[i + 1];
    return run.history;
}

static void check_peak_and_end(const struct history *history, const struct block_runs *runs)
{
    uint64_t calls = 0, live = 0, live_bytes = 0, peak = 0, peak_bytes = 0, temporary = 0;
    uint64_t want_calls = 0, want_live = 0, want_bytes = 0, want_temporary = 0;
    for (size_t i = 0; i < runs->runs.count; i++) {
        const struct block_run *run = &runs->runs.items[i];
        CHECK(run->count > 0 && run->born <= run->died);
        CHECK(run->temporary <= run->count);
        calls += run->count;
        temporary += run->temporary;
        live += run->died == SLOT_NEVER ? run->count : 0;
        live_bytes += run->bytes - (run->died == SLOT_NEVER ? 0 : run->freed);
        if (run->born <= history->peak.slot) {
            bool there = run->died > history->peak.slot;
            peak += there ? run->count : 0;
            peak_bytes += run->bytes - (there ? 0 : run->freed);
        }
    }
    for (size_t i = 0; i < SLOTS; i++) {
        want_calls += history->sums[i].calls;
        want_live += history->sums[i].calls - history->sums[i].frees;
        want_bytes += history->sums[i].bytes - history->sums[i].freed;
        want_temporary += history->sums[i].temporary;
    }
    assert_int_equal(calls, want_calls);
    assert_int_equal(live, want_live);
    assert_int_equal(live_bytes, want_bytes);
    assert_int_equal(peak, history->peak.count);
    assert_int_equal(peak_bytes, history->peak.bytes);
    assert_int_equal(temporary + runs->temporary_left_over, want_temporary);
}

static void check_every_bucket(const struct history *history, const struct block_runs *runs)
{
    for (size_t i = 0; i < SLOTS; i++) {
        const struct stack_sums *want = &history->sums[i];
        uint32_t last = want->slot + (want->slot == history->peak.slot);
        struct stack_sums got = {0};
        for (size_t k = 0; k < runs->runs.count; k++) {
            const struct block_run *run = &runs->runs.items[k];
            if (run->born >= want->slot && run->born <= last) {
                got.calls += run->count;
                got.bytes += run->bytes;
            }
            if (run->died >= want->slot && run->died <= last) {
                got.frees += run->count;
                got.freed += run->freed;
            }
        }
        assert_int_equal(got.calls, want->calls);
        assert_int_equal(got.bytes, want->bytes);
        assert_int_equal(got.frees, want->frees);
        assert_int_equal(got.freed, want->freed);
    }
}

static void runs_add_up_to_the_sums_they_came_from(void **state)
{
    (void)state;
    for (uint64_t start = 1; start <= 3000; start++) {
        uint64_t size_limit = start % 3 ? 1000 : 2;
        struct history history = simulate(start, 1 + start % 60, size_limit, 0);
        struct block_runs runs = {0};
        assert_int_equal(block_runs_add(&runs, history.sums, SLOTS, history.peak), 0);
        assert_int_equal(runs.peak_off_by, 0);
        assert_int_equal(runs.frees_left_out, 0);
        check_every_bucket(&history, &runs);
        check_peak_and_end(&history, &runs);
        block_runs_fini(&runs);
    }
}

static void temporary_blocks_are_counted_without_changing_peak_or_end(void **state)
{
    (void)state;
    for (uint64_t start = 1; start <= 3000; start++) {
        struct history history = simulate(start, 1 + start % 60, 1000, 1);
        struct block_runs runs = {0};
        assert_int_equal(block_runs_add(&runs, history.sums, SLOTS, history.peak), 0);
        check_peak_and_end(&history, &runs);
        block_runs_fini(&runs);
    }
}

static void blocks_of_one_size_are_freed_with_that_size(void **state)
{
    (void)state;
    for (uint64_t start = 1; start <= 300; start++) {
        struct history history = simulate(start, 1 + start % 60, 1, 1);
        struct block_runs runs = {0};
        for (size_t i = 0; i < SLOTS; i++) { /* every block 48 bytes */
            history.sums[i].bytes = 48 * history.sums[i].calls;
            history.sums[i].freed = 48 * history.sums[i].frees;
        }
        history.peak.bytes = 48 * history.peak.count;
        assert_int_equal(block_runs_add(&runs, history.sums, SLOTS, history.peak), 0);
        assert_int_equal(runs.resized_frees, 0);
        for (size_t i = 0; i < runs.runs.count; i++) {
            assert_int_equal(runs.runs.items[i].bytes, 48 * runs.runs.items[i].count);
            assert_int_equal(runs.runs.items[i].freed, runs.runs.items[i].bytes);
        }
        block_runs_fini(&runs);
    }
}

/* Many small blocks die young, a few big ones stay: the big ones must not be freed as small ones.
 */
static void long_lived_blocks_keep_their_bytes(void **state)
{
    (void)state;
    struct stack_sums sums[10];
    for (uint32_t i = 0; i < 10; i++)
        sums[i] =
            (struct stack_sums){.slot = i, .calls = 100, .bytes = 1000, .frees = 90, .freed = 90};
    struct block_runs runs = {0};
    assert_int_equal(block_runs_add(&runs, sums, 10, (struct peak_state){SLOT_NEVER, 0, 0}), 0);
    assert_int_equal(runs.resized_frees, 0);
    block_runs_fini(&runs);
}

static void one_temporary_block_can_be_the_peak(void **state)
{
    (void)state;
    const struct stack_sums sums = {.stack = 7,
                                    .slot = 3,
                                    .calls = 1,
                                    .bytes = 100 << 20,
                                    .frees = 1,
                                    .freed = 100 << 20,
                                    .temporary = 1};
    struct block_runs runs = {0};
    assert_int_equal(block_runs_add(&runs, &sums, 1, (struct peak_state){3, 1, 100 << 20}), 0);
    assert_int_equal(runs.runs.count, 1);
    assert_int_equal(runs.peak_temporary_run, 1);
    assert_int_equal(runs.temporary_left_over, 0);
    assert_int_equal(runs.runs.items[0].born, 3);
    assert_int_equal(runs.runs.items[0].died, 4);
    assert_int_equal(runs.runs.items[0].temporary, 1);
    block_runs_fini(&runs);
}

static void impossible_sums_are_reported_not_hidden(void **state)
{
    (void)state;
    const struct stack_sums sums = {.slot = 0, .calls = 1, .bytes = 10, .frees = 3, .freed = 30};
    struct block_runs runs = {0};
    assert_int_equal(block_runs_add(&runs, &sums, 1, (struct peak_state){0, 1, 25}), 0);
    assert_int_equal(runs.frees_left_out, 2);
    CHECK(runs.peak_off_by > 0);
    block_runs_fini(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_add_up_to_the_sums_they_came_from),
        cmocka_unit_test(temporary_blocks_are_counted_without_changing_peak_or_end),
        cmocka_unit_test(blocks_of_one_size_are_freed_with_that_size),
        cmocka_unit_test(long_lived_blocks_keep_their_bytes),
        cmocka_unit_test(one_temporary_block_can_be_the_peak),
        cmocka_unit_test(impossible_sums_are_reported_not_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
