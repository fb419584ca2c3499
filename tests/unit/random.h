/* random.h - numbers that look random and are the same in every run, unless MEMOIR_SEED asks for
 * others.
 *
 * `./dev prove models` runs each test that includes this with many seeds. */
#pragma once

#include <stdint.h>
#include <stdlib.h>

/* What MEMOIR_SEED says; 0 when it says nothing. */
static inline uint64_t random_seed(void)
{
    const char *text = getenv("MEMOIR_SEED");
    return text ? strtoull(text, NULL, 10) : 0;
}

struct random {
    uint64_t state;
};

static inline struct random random_from(uint64_t seed)
{
    return (struct random){(seed + (random_seed() << 16)) * 0x9e3779b97f4a7c15ull + 1};
}

static inline uint64_t random_next(struct random *random)
{
    uint64_t x = random->state += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* 0 .. limit - 1 */
static inline uint64_t random_below(struct random *random, uint64_t limit)
{
    return random_next(random) % limit;
}
