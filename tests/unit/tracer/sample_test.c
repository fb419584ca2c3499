/* SPDX-License-Identifier: Apache-2.0 */
/* sample_test.c - the sampler draws what it should, and its estimates are unbiased.
 *
 * The statistical tests draw new numbers each time.  Each compares a sum with its expectation
 * and fails beyond six standard deviations, which a right sampler exceeds once in 500 million
 * runs; there are fewer than 20 of them. */
#include "tracer/rings/sample.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "machine/processor.h"
#include "model/sampling.h"

#define SIGMAS 6.0
#define DRAWS  1000000u

struct tracer_process tracer_process = {.rate = &sample_no_rate};
__thread struct tracer_thread tracer_self;

static uint64_t new_seed(void)
{
    static uint64_t count;
    return (processor_ticks() * 0x9e3779b97f4a7c15ull + ++count) | 1;
}

static bool is_near(double sum, double expected, double variance)
{
    double off = fabs(sum - expected) / sqrt(variance);
    if (off > SIGMAS)
        print_error("%g instead of %g: %.1f standard deviations\n", sum, expected, off);
    return off <= SIGMAS;
}

TEST(quotas_have_the_right_mean_and_spread)
{
    static const uint64_t rates[] = {64, 4096, 524288};
    for (unsigned i = 0; i < 3; i++) {
        double rate = (double)rates[i], sum = 0, above = 0;
        uint64_t random = new_seed();
        for (unsigned k = 0; k < DRAWS; k++) {
            double drawn = (double)sample_draw(&random, rates[i]);
            sum += drawn;
            above += drawn >= 3 * rate;
        }
        double step = 1 / -expm1(-1 / rate); /* a geometric distribution's mean */
        double tail = exp(-3);
        CHECK(is_near(sum, DRAWS * (step - 1), DRAWS * step * step));
        CHECK(is_near(above, DRAWS * tail, DRAWS * tail * (1 - tail)));
    }
}

/* Many allocations of random sizes, sampled as the hooks do: what the samples stand for, against
 * what was allocated. */
TEST(estimates_are_unbiased)
{
    static const uint64_t largest[] = {16, 300, 20000, 4000000};
    for (unsigned i = 0; i < 4; i++) {
        uint64_t random = new_seed(), sizes = new_seed(), calls = 0, rate = 65536;
        double bytes = 0, estimated = 0, estimated_calls = 0, variance = 0, call_variance = 0;
        uint64_t quota = sample_draw(&random, rate);
        for (unsigned k = 0; k < 4 * DRAWS; k++) {
            sizes ^= sizes << 13, sizes ^= sizes >> 7, sizes ^= sizes << 17;
            uint64_t size = sizes % (largest[i] + 1);
            bytes += (double)size;
            calls++;
            if (size < quota) {
                quota -= size + 1;
                continue;
            }
            quota = sample_draw(&random, rate);
            struct sample_weight weight = sample_weigh(size, 0, rate, sizes);
            double p = -expm1(-((double)size + 1) / (double)rate);
            estimated += (double)weight.bytes;
            estimated_calls += (double)weight.calls;
            variance += (1 - p) / (p * p) * (double)size * (double)size + 1;
            call_variance += (1 - p) / (p * p) + 0.25;
        }
        CHECK(is_near(estimated, bytes, variance + 1e6));
        CHECK(is_near(estimated_calls, (double)calls, call_variance));
    }
}

TEST(a_block_weighs_the_same_when_it_is_freed)
{
    for (uint64_t size = 0; size < 100000000; size = size * 3 + 1) {
        struct sample_weight made = sample_weigh(size, 8, SAMPLE_RATE_DEFAULT, size * 77);
        struct sample_weight freed = sample_weigh(size, 8, SAMPLE_RATE_DEFAULT, size * 77);
        assert_memory_equal(&made, &freed, sizeof(made));
        CHECK(made.calls >= 1 && made.bytes >= size);
    }
    struct sample_weight large = sample_weigh(1u << 30, 16, SAMPLE_RATE_DEFAULT, 5);
    CHECK(large.calls == 1 && large.bytes == 1u << 30 && large.slack == 16);
    CHECK(large.spread == 0); /* it is always taken */
}

static uint64_t error_of(int64_t bytes, int64_t count, int64_t spread, uint64_t rate)
{
    return sample_error(&(struct sample_estimate){bytes, count, spread, rate});
}

TEST(an_error_is_that_of_the_blocks_and_not_of_the_rate)
{
    int64_t const mib = 1 << 20, unknown = SAMPLE_SPREAD_UNKNOWN;
    CHECK(error_of(0, 0, 0, 0) == 0 && error_of(mib, 5, unknown, 0) == 0);
    CHECK(error_of(0, 0, 0, (uint64_t)mib) == 2055209); /* nothing seen may be something */
    CHECK(error_of(3 * mib, 0, unknown, (uint64_t)mib) == 2 * 2055209);
    CHECK(error_of(100 * mib, 1, 0, 512 << 10) == 0);       /* a block that cannot be missed */
    CHECK(error_of(100 * mib, 1, unknown, 512 << 10) == 0); /* not even when nobody added it up */
    CHECK(error_of(-mib, -1000, unknown, 512 << 10) == error_of(mib, 1000, unknown, 512 << 10));
}

/* A hundred sums of sampled blocks: how many are off by no more than their error. */
static unsigned count_covered(uint64_t largest, unsigned blocks, bool is_spread_known)
{
    uint64_t random = new_seed(), sizes = new_seed(), rate = 65536;
    unsigned covered = 0;
    for (unsigned trial = 0; trial < 400; trial++) {
        struct sample_estimate estimate = {.rate = rate};
        double bytes = 0;
        uint64_t quota = sample_draw(&random, rate);
        for (unsigned k = 0; k < blocks; k++) {
            sizes ^= sizes << 13, sizes ^= sizes >> 7, sizes ^= sizes << 17;
            uint64_t const size = sizes % (largest + 1);
            bytes += (double)size;
            if (size < quota) {
                quota -= size + 1;
                continue;
            }
            quota = sample_draw(&random, rate);
            struct sample_weight const weight = sample_weigh(size, 0, rate, sizes);
            estimate.bytes += (int64_t)weight.bytes;
            estimate.count += (int64_t)weight.calls;
            estimate.spread += (int64_t)weight.spread;
        }
        if (!is_spread_known)
            estimate.spread = SAMPLE_SPREAD_UNKNOWN;
        covered += fabs((double)estimate.bytes - bytes) <= (double)sample_error(&estimate) + 1;
    }
    return covered / 4;
}

TEST(ninety_five_of_a_hundred_estimates_are_within_their_error)
{
    static const uint64_t largest[] = {16, 300, 20000, 300000};
    for (unsigned i = 0; i < 4; i++) {
        unsigned const blocks = (unsigned)(40 * 65536 / (largest[i] / 2)) + 50;
        unsigned const known = count_covered(largest[i], blocks, true);
        unsigned const guessed = count_covered(largest[i], blocks, false);
        if (known < 90 || guessed < 88)
            fail_msg("blocks to %lu: %u and %u of 100", (unsigned long)largest[i], known, guessed);
    }
}

TEST(taken_blocks_are_found_once)
{
    for (uint64_t i = 1; i <= 20000; i++)
        CHECK(sample_keep((void *)(0x7f0000000000ull + i * 4112)));
    CHECK(!sample_forget((void *)0x7e0000000010ull));
    for (uint64_t i = 1; i <= 20000; i++) {
        void *block = (void *)(0x7f0000000000ull + i * 4112);
        CHECK(sample_may_have(block) && sample_forget(block) && !sample_forget(block));
    }
    unsigned left = 0;
    for (unsigned i = 0; i < 1u << SAMPLE_FILTER_BITS; i++)
        left += atomic_load(&sample_filter[i]) != 0;
    CHECK(left == 0);
}

TEST(a_full_table_refuses)
{
    uint64_t kept = 0;
    for (uint64_t i = 1; i <= 400000; i++)
        kept += sample_keep((void *)(0x550000000000ull + i * 32));
    CHECK(kept > 220000 && kept < 300000);
    uint64_t forgotten = 0;
    for (uint64_t i = 1; i <= 400000; i++)
        forgotten += sample_forget((void *)(0x550000000000ull + i * 32));
    CHECK(forgotten == kept);
    CHECK(sample_keep((void *)0x1230) && sample_may_have((void *)0x1230));
    sample_forget_all();
    CHECK(!sample_may_have((void *)0x1230) && !sample_forget((void *)0x1230));
}

TEST(weights_are_those_of_the_recorder)
{
    static const uint64_t sizes[] = {0, 1, 16, 100, 4096, 524288, 1 << 24, 1ull << 40};
    static const uint64_t rates[] = {1, 512, 524288, 1 << 26};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        CHECK(sample_weight(sizes[i], RATE_FULL) == sizes[i]);
        for (unsigned k = 0; k < sizeof(rates) / sizeof(rates[0]); k++) {
            double size = (double)sizes[i];
            double expected = size / -expm1(-(size + 1) / (double)rates[k]);
            CHECK(fabs((double)sample_weight(sizes[i], rates[k]) - expected) <=
                  0.51 + expected * 1e-9);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotas_have_the_right_mean_and_spread),
        cmocka_unit_test(estimates_are_unbiased),
        cmocka_unit_test(weights_are_those_of_the_recorder),
        cmocka_unit_test(a_block_weighs_the_same_when_it_is_freed),
        cmocka_unit_test(an_error_is_that_of_the_blocks_and_not_of_the_rate),
        cmocka_unit_test(ninety_five_of_a_hundred_estimates_are_within_their_error),
        cmocka_unit_test(taken_blocks_are_found_once),
        cmocka_unit_test(a_full_table_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
