/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/heap_ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "check.h"
#include "formats/shared/bucket_series.h"
#include "formats/heaptrack/live_pointers.h"

#define STACKS  50
#define SECONDS UINT64_C(1000000000)

struct books {
    int64_t live[STACKS], peak[STACKS], calls[STACKS], freed[STACKS];
    int64_t level, highest;
};

static void book(struct books *books, uint32_t stack, int64_t bytes)
{
    books->live[stack] += bytes;
    books->level += bytes;
    if (bytes > 0)
        books->calls[stack]++;
    else
        books->freed[stack] -= bytes;
    if (books->level > books->highest) {
        books->highest = books->level;
        memcpy(books->peak, books->live, sizeof(books->peak));
    }
}

static int64_t sum_of(const struct recording *recording, uint32_t stack, enum column column)
{
    int64_t sum = 0;
    vec_each (bucket, &recording->buckets)
        for (size_t i = 0; i < bucket->cell_count; i++)
            if (bucket->cells[i].key == stack && bucket->cells[i].column == column)
                sum += bucket->cells[i].value;
    return sum;
}

static int64_t pinned(const struct pin *pin, uint32_t stack)
{
    for (size_t i = 0; i < pin->cell_count; i++)
        if (pin->cells[i].key == stack && pin->cells[i].column == COL_HEAP_BYTES)
            return pin->cells[i].value;
    return 0;
}

/* A made-up run of `seconds`, a hundred events in each. */
static void run(struct bucket_series *series, struct books *books, uint64_t seconds)
{
    uint64_t random = 1;
    for (uint64_t i = 0; i < 100 * seconds; i++) {
        uint32_t site, stack = (random = hash_mix(random + i)) % STACKS;
        assert_int_equal(heap_ledger_site(series->ledger, stack, &site), 0);
        uint64_t const size = 1 + (random >> 40) % 1000;
        if (random >> 20 & 1 || books->live[stack] < (int64_t)size) {
            heap_ledger_alloc(series->ledger, site, size, series->now_ns);
            book(books, stack, (int64_t)size);
        } else {
            heap_ledger_free(series->ledger, site, size, false);
            book(books, stack, -(int64_t)size);
        }
        assert_int_equal(bucket_series_stamp(series, i * SECONDS / 100), 0);
    }
    assert_int_equal(bucket_series_finish(series), 0);
}

static void check_books(const struct recording *recording, const struct books *books)
{
    const struct pin *peak = recording_pin(recording, PIN_PEAK);
    assert_non_null(peak);
    assert_int_equal(recording->heap.peak_bytes, books->highest);
    for (uint32_t stack = 0; stack < STACKS; stack++) {
        assert_int_equal(sum_of(recording, stack, COL_HEAP_CALLS), books->calls[stack]);
        assert_int_equal(sum_of(recording, stack, COL_HEAP_FREED), books->freed[stack]);
        assert_int_equal(sum_of(recording, stack, COL_HEAP_BYTES) - books->freed[stack],
                         books->live[stack]);
        assert_int_equal(pinned(peak, stack), books->peak[stack]);
    }
}

static void check_run(uint64_t seconds, size_t cells_max, size_t most_buckets)
{
    struct recording *recording = recording_create();
    struct heap_ledger ledger = {0};
    struct bucket_series series = {
        .recording = recording, .ledger = &ledger, .cells_max = cells_max};
    struct books books = {0};
    bucket_series_begin(&series);
    run(&series, &books, seconds);
    check_books(recording, &books);
    assert_in_range(recording->buckets.count, 1, most_buckets);
    assert_int_equal(recording->quality.coarsened, cells_max != 0);
    uint64_t end = 0;
    int64_t sizes = 0;
    vec_each (bucket, &recording->buckets) {
        assert_int_equal(bucket->begin_ns, end);
        CHECK(bucket->end_ns > bucket->begin_ns);
        end = bucket->end_ns;
    }
    assert_int_equal(end, recording->duration_ns);
    for (unsigned k = 0; k < SIZE_CLASSES; k++)
        for (uint32_t stack = 0; stack < STACKS; stack++)
            sizes += sum_of(recording, stack, COL_SIZE_0 + k);
    assert_int_equal(sizes, recording->heap.calls);
    heap_ledger_fini(&ledger);
    recording_destroy(recording);
}

TEST(sums_and_peak_are_exact)
{
    check_run(200, 0, 600);
}

TEST(few_cells_are_kept_by_merging_and_sums_stay_exact)
{
    check_run(3000, 20000, 1000);
}

TEST(samples_of_rss_keep_their_largest)
{
    struct recording *recording = recording_create();
    struct heap_ledger ledger = {0};
    struct bucket_series series = {.recording = recording, .ledger = &ledger};
    bucket_series_begin(&series);
    bucket_series_rss(&series, 900);
    bucket_series_rss(&series, 100);
    assert_int_equal(bucket_series_stamp(&series, SECONDS), 0);
    bucket_series_rss(&series, 400); /* at the very end: no bucket of its own */
    assert_int_equal(bucket_series_finish(&series), 0);
    assert_int_equal(recording->buckets.count, 1);
    assert_int_equal(recording->buckets.items[0].rss_max, 900);
    assert_int_equal(recording->buckets.items[0].gauges.rss_bytes, 400);
    assert_int_equal(recording->duration_ns, SECONDS);
    heap_ledger_fini(&ledger);
    recording_destroy(recording);
}

TEST(a_bucket_knows_how_low_and_high_the_heap_was)
{
    struct recording *recording = recording_create();
    struct heap_ledger ledger = {0};
    struct bucket_series series = {.recording = recording, .ledger = &ledger};
    uint32_t site;
    bucket_series_begin(&series);
    assert_int_equal(heap_ledger_site(&ledger, 3, &site), 0);
    heap_ledger_alloc(&ledger, site, 100, 0);
    assert_int_equal(bucket_series_stamp(&series, SECONDS), 0);
    heap_ledger_free(&ledger, site, 90, false);
    heap_ledger_alloc(&ledger, site, 20, SECONDS);
    assert_int_equal(bucket_series_stamp(&series, 2 * SECONDS), 0);
    assert_int_equal(recording->buckets.items[0].gauges.heap_live_min, 0);
    assert_int_equal(recording->buckets.items[0].gauges.heap_live_max, 100);
    assert_int_equal(recording->buckets.items[1].gauges.heap_live_min, 10);
    assert_int_equal(recording->buckets.items[1].gauges.heap_live_max, 100);
    assert_int_equal(recording->buckets.items[1].gauges.heap_live_end, 30);
    heap_ledger_fini(&ledger);
    recording_destroy(recording);
}

#define POINTERS 3000
TEST(pointers_are_found_again_whatever_was_taken_between)
{
    struct live_pointers pointers = {0};
    static uint64_t truth[POINTERS]; /* size, 0: not there */
    uint64_t random = 5;
    for (int i = 0; i < 300000; i++) {
        random = hash_mix(random + (uint64_t)i);
        size_t const at = random % POINTERS;
        uint64_t const pointer = at % 3 ? 0x7f0000001000 + at * 16 : 0x560000000001 + at * 7;
        if (random >> 40 & 1) {
            struct live_block block = {pointer, 1 + i, (uint32_t)i}, missed = {0};
            assert_int_equal(live_pointers_put(&pointers, &block, &missed), truth[at] != 0);
            assert_int_equal(missed.size, truth[at]);
            truth[at] = block.size;
        } else {
            struct live_block block = {0};
            assert_int_equal(live_pointers_remove(&pointers, pointer, &block), truth[at] != 0);
            assert_int_equal(block.size, truth[at]);
            truth[at] = 0;
        }
    }
    live_pointers_fini(&pointers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_peak_are_exact),
        cmocka_unit_test(few_cells_are_kept_by_merging_and_sums_stay_exact),
        cmocka_unit_test(samples_of_rss_keep_their_largest),
        cmocka_unit_test(a_bucket_knows_how_low_and_high_the_heap_was),
        cmocka_unit_test(pointers_are_found_again_whatever_was_taken_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
