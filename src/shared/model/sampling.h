/* sampling.h - what one sampled block stands for.
 *
 * A sampling tracer records an allocation of n bytes with probability p = 1 - exp(-(n + 1) / rate):
 * each byte, and each call, is equally likely to cause the sample.  A sampled block then stands for
 * 1 / p calls and n / p bytes; sums of these are right on average, for blocks of any size (Horvitz
 * and Thompson).
 *
 * The error of such a sum is known, too: a sampled block adds its *spread*, n² (1 - p) / p², to the
 * variance of the sum, which is 0 for a block that is always sampled.  When the block is freed, its
 * bytes and its spread are subtracted.
 *
 * Numbers are integers: calls are rounded up or down at random, but always the same way for the
 * same seed, so a block has the same weight when it is allocated and when it is freed. */
#pragma once

#include <stdint.h>

#define SAMPLE_RATE_DEFAULT (512u * 1024u)
#define SAMPLE_RATE_MIN     64u
#define SAMPLE_RATE_MAX     (64u << 20)

struct sample_weight {
    uint64_t calls, bytes, slack;
    uint64_t spread; /* In squares of SAMPLE_SPREAD_UNIT bytes. */
};
#define SAMPLE_SPREAD_UNIT 64u

/* `rate` is not 0.  `seed` is any number that belongs to the block, such as its address. */
struct sample_weight sample_weigh(uint64_t size, uint64_t slack, uint64_t rate, uint64_t seed);

/* Returns what a sampled block that stands for `calls` calls adds to the variance of their sum:
 * (1 - p) / p². */
static inline uint64_t sample_call_spread(uint64_t calls)
{
    return calls * (calls - 1);
}

struct sample_estimate {
    int64_t bytes, count;
    int64_t spread; /* SAMPLE_SPREAD_UNKNOWN: blocks are assumed to have one size. */
    uint64_t rate;  /* 0: the numbers are exact. */
};
#define SAMPLE_SPREAD_UNKNOWN INT64_MIN

/* Returns the error that the bytes stay within in 95 of 100 cases.  At least one block of average
 * size may always have been missed, so the error of an estimate is never 0. */
uint64_t sample_error(const struct sample_estimate *estimate);
#define SAMPLE_ERROR_DEVIATIONS 1.96 /* standard deviations that such an error has */
/* Like sample_error, for the count; `spread` is that of calls. */
uint64_t sample_call_error(const struct sample_estimate *estimate);

/* Returns by how many standard deviations the highest of all estimates over a time is too high, but
 * in `chance` of the cases.  `turnovers`: how often, in that time, all blocks were replaced by
 * others, so that the luck is another.  At least that of one estimate. */
double sample_highest(double turnovers, double chance);
