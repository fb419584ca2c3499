/* sampling.h - what one sampled block stands for.
 *
 * A sampling tracer takes an allocation of n bytes with probability p = 1 - exp(-(n + 1) /
 * rate): each byte, and each call, is equally likely to be the one that decides.  A taken block
 * then stands for 1 / p calls and n / p bytes: sums of these are right on average, whatever the
 * sizes (Horvitz and Thompson).
 *
 * How far off such a sum may be is added up, too: a taken block adds n² (1 - p) / p² to the
 * variance of the sum it is in, which is nothing for one that is always taken.  That is its
 * *spread*; once it is freed, it goes off both sums.
 *
 * Numbers are whole: the calls are rounded up or down at random, the same way each time for the
 * same seed, so that a block counts for as much when it is freed as when it was made. */
#pragma once

#include <stdint.h>

#define SAMPLE_RATE_DEFAULT (512u * 1024u)
#define SAMPLE_RATE_MIN     64u
#define SAMPLE_RATE_MAX     (64u << 20)

struct sample_weight {
    uint64_t calls, bytes, slack;
    uint64_t spread; /* in squares of SAMPLE_SPREAD_UNIT bytes */
};
#define SAMPLE_SPREAD_UNIT 64u

/* `rate` is not 0.  `seed`: any number that belongs to the block. */
struct sample_weight sample_weigh(uint64_t size, uint64_t slack, uint64_t rate, uint64_t seed);

/* What a taken block that stands for so many calls adds to the variance of their sum: (1 - p) /
 * p². */
static inline uint64_t sample_call_spread(uint64_t calls)
{
    return calls * (calls - 1);
}

struct sample_estimate {
    int64_t bytes, count;
    int64_t spread; /* SAMPLE_SPREAD_UNKNOWN: then blocks are taken to be of one size */
    uint64_t rate;  /* 0: all is exact */
};
#define SAMPLE_SPREAD_UNKNOWN INT64_MIN

/* The estimate is off by no more than this in 95 of 100 cases.  Nothing seen may still be
 * something: one block more of the size that they have on average is always thought of. */
uint64_t sample_error(const struct sample_estimate *estimate);
/* Like sample_error, of the count; the spread is that of calls. */
uint64_t sample_call_error(const struct sample_estimate *estimate);
