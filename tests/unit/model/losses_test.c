/* SPDX-License-Identifier: Apache-2.0 */
/* losses_test.c - the peak of samples, against blocks of which all is known: how often the range
 * and the errors hold the truth, and that they are no wider than they must be. */
#include "model/losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model/sampling.h"
#include "random.h"

#define PLACES 2000u
#define RATE   16384u
#define RUNS   60u
#define PARTS  2u /* rows: by the parity of the place */

struct heap {
    struct random random;
    uint32_t sizes[PLACES]; /* 0: no block */
    struct sample_weight weights[PLACES];
    int64_t live, sampled, parts[PARTS], sampled_parts[PARTS];
    int64_t spread, spreads[PARTS];
    /* at the highest of the estimates, and the true peak with what was live then */
    int64_t peak, peak_parts[PARTS];
    int64_t top, top_parts[PARTS], top_spread, top_spreads[PARTS];
    uint64_t allocated;
};

static void add(struct heap *heap, uint32_t place, int sign)
{
    const struct sample_weight *weight = &heap->weights[place];
    uint32_t const part = place % PARTS;
    heap->live += sign * (int64_t)heap->sizes[place];
    heap->parts[part] += sign * (int64_t)heap->sizes[place];
    heap->sampled += sign * (int64_t)weight->bytes;
    heap->sampled_parts[part] += sign * (int64_t)weight->bytes;
    heap->spread += sign * (int64_t)weight->spread;
    heap->spreads[part] += sign * (int64_t)weight->spread;
}

static void note_peaks(struct heap *heap)
{
    if (heap->live > heap->peak) {
        heap->peak = heap->live;
        memcpy(heap->peak_parts, heap->parts, sizeof(heap->parts));
    }
    if (heap->sampled > heap->top) {
        heap->top = heap->sampled;
        heap->top_spread = heap->spread;
        memcpy(heap->top_parts, heap->sampled_parts, sizeof(heap->parts));
        memcpy(heap->top_spreads, heap->spreads, sizeof(heap->spreads));
    }
}

static void make(struct heap *heap, uint32_t place)
{
    uint32_t const size = 16 + (uint32_t)random_below(&heap->random, 1024);
    double const p = -expm1(-((double)size + 1) / RATE);
    heap->sizes[place] = size;
    heap->weights[place] = (struct sample_weight){.calls = 0};
    if ((double)random_below(&heap->random, UINT64_C(1) << 53) * 0x1p-53 < p)
        heap->weights[place] = sample_weigh(size, 0, RATE, random_next(&heap->random));
    heap->allocated += (uint64_t)llround((double)heap->weights[place].bytes);
    add(heap, place, 1);
    note_peaks(heap);
}

static void replace(struct heap *heap, uint32_t place)
{
    if (heap->sizes[place])
        add(heap, place, -1);
    heap->sizes[place] = 0;
    make(heap, place);
}

/* Blocks that stay, and `steps` that replace one of them. */
static void run(struct heap *heap, uint64_t seed, unsigned steps)
{
    /* neighbouring seeds are neighbours in one row of numbers */
    *heap = (struct heap){.random = random_from(seed << 24)};
    for (uint32_t place = 0; place < PLACES; place++)
        make(heap, place);
    for (unsigned step = 0; step < steps; step++)
        replace(heap, (uint32_t)random_below(&heap->random, PLACES));
}

static void describe(const struct heap *heap, struct recording *recording)
{
    *recording = (struct recording){
        .heap = {.bytes = heap->allocated, .peak_bytes = (uint64_t)heap->top},
        .quality = {
            .sample_rate = RATE, .has_spread = true, .peak_spread = (uint64_t)heap->top_spread}};
}

static uint64_t error_of(int64_t bytes, int64_t spread)
{
    return sample_error(&(struct sample_estimate){bytes, 0, spread, RATE});
}

struct counts {
    unsigned in_range, in_error, parts_in_error;
    double below, above; /* width of the range, in standard deviations */
};

static struct counts count(unsigned steps)
{
    struct counts counts = {.in_range = 0};
    static struct heap heap;
    static struct recording recording;
    for (unsigned i = 0; i < RUNS; i++) {
        run(&heap, i + 1, steps);
        describe(&heap, &recording);
        struct value_range const range = losses_of_peak(&recording);
        uint64_t const peak = (uint64_t)heap.peak, error = error_of(heap.top, heap.top_spread);
        counts.in_range += range.low <= peak && peak <= range.high;
        counts.in_error +=
            (uint64_t)llabs(heap.top - heap.peak) <= sampled_error_at_peak(&recording, error);
        for (unsigned part = 0; part < PARTS; part++)
            counts.parts_in_error +=
                (uint64_t)llabs(heap.top_parts[part] - heap.peak_parts[part]) <=
                sampled_error_at_peak(&recording,
                                      error_of(heap.top_parts[part], heap.top_spreads[part]));
        double const sigma = (double)error / SAMPLE_ERROR_DEVIATIONS;
        counts.below += (double)((uint64_t)heap.top - range.low) / sigma / RUNS;
        counts.above += (double)(range.high - (uint64_t)heap.top) / sigma / RUNS;
    }
    return counts;
}

TEST(the_peak_of_a_steady_heap_is_in_its_range_and_within_its_errors)
{
    struct counts const counts = count(100 * PLACES);
    CHECK(counts.in_range >= RUNS - 1);
    CHECK(counts.in_error >= RUNS * 9 / 10);
    CHECK(counts.parts_in_error >= PARTS * RUNS * 9 / 10);
    CHECK(counts.below < 5.5 && counts.above < 4);
}

TEST(the_peak_of_a_heap_that_only_rises_is_in_a_range_that_is_narrower)
{
    struct counts const counts = count(0);
    CHECK(counts.in_range >= RUNS - 1);
    CHECK(counts.in_error >= RUNS * 9 / 10);
    CHECK(counts.below < 4.2 && counts.above < 4);
}

TEST(the_more_blocks_were_replaced_the_higher_is_the_highest_estimate)
{
    double before = 0;
    for (double turnovers = 1; turnovers < 1e12; turnovers *= 10) {
        double const level = sample_highest(turnovers, 0.025);
        CHECK(level > before && level < 12);
        before = level;
    }
    CHECK(fabs(sample_highest(0, 0.025) - 1.96) < 0.01); /* one estimate, as everywhere */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peak_of_a_steady_heap_is_in_its_range_and_within_its_errors),
        cmocka_unit_test(the_peak_of_a_heap_that_only_rises_is_in_a_range_that_is_narrower),
        cmocka_unit_test(the_more_blocks_were_replaced_the_higher_is_the_highest_estimate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
