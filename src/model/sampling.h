/* sampling.h - what one sampled block stands for.
 *
 * A sampling tracer takes an allocation of n bytes with probability p = 1 - exp(-(n + 1) / rate): each byte, and each
 * call, is equally likely to be the one that decides.  A taken block then stands for 1 / p calls and n / p bytes:
 * sums of these are right on average, whatever the sizes (Horvitz and Thompson).
 *
 * Numbers are whole: the calls are rounded up or down at random, the same way each time for the same seed, so
 * that a block counts for as much when it is freed as when it was made. */
#pragma once

#include <stdint.h>

#define SAMPLE_RATE_DEFAULT (512u * 1024u)
#define SAMPLE_RATE_MIN     64u
#define SAMPLE_RATE_MAX     (64u << 20)

struct sample_weight {
    uint64_t calls, bytes, slack;
};

/* `rate` is not 0.  `seed`: any number that belongs to the block. */
struct sample_weight sample_weigh(uint64_t size, uint64_t slack, uint64_t rate, uint64_t seed);

/* An estimate of so many bytes is off by no more than this in 95 of 100 cases.  That is for blocks much smaller than
 * the rate; larger ones are known better.  Nothing estimated may still be something. */
uint64_t sample_error(uint64_t bytes, uint64_t rate);
