/* SPDX-License-Identifier: Apache-2.0 */
/* wide_tree.c - wide_tree LEVELS TAIL SECONDS: allocates from 2^LEVELS call stacks that share
 * nothing but their outer LEVELS frames, and have TAIL more of their own, over and over; some
 * blocks live long.  So its tree of calls has about 2^LEVELS * (TAIL + 2) nodes, of 64 functions
 * that call each other in an order that looks random and is always the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

struct walk {
    uint32_t path;  /* which way each of the outer levels goes */
    unsigned level; /* so many frames are there already */
};

typedef void step(struct walk *walk);

static unsigned levels, tail;
static void **blocks;
static volatile unsigned calls; /* so that no call is the last thing a function does */

static uint32_t mix(uint32_t word)
{
    word ^= word >> 16;
    word *= 0x7feb352dU;
    word ^= word >> 15;
    word *= 0x846ca68bU;
    return word ^ word >> 16;
}

static NOINLINE void allocate(struct walk *walk)
{
    uint32_t const chance = mix(walk->path + calls);
    void **block = &blocks[walk->path];
    if (*block && chance % 4 == 0)
        return;
    free(*block);
    *block = malloc(16 + chance % 480);
    calls++;
}

static void go_on(struct walk *walk);

#define STEP(n)                                                                                    \
    static NOINLINE void step_##n(struct walk *walk)                                               \
    {                                                                                              \
        go_on(walk);                                                                               \
        calls++;                                                                                   \
    }
#define EIGHT(n)                                                                                   \
    STEP(n##0)                                                                                     \
    STEP(n##1)                                                                                     \
    STEP(n##2)                                                                                     \
    STEP(n##3)                                                                                     \
    STEP(n##4)                                                                                     \
    STEP(n##5)                                                                                     \
    STEP(n##6)                                                                                     \
    STEP(n##7)
#define NAMES(n)                                                                                   \
    step_##n##0, step_##n##1, step_##n##2, step_##n##3, step_##n##4, step_##n##5, step_##n##6,     \
        step_##n##7

/* clang-format off: it takes these for declarations */
EIGHT(0)
EIGHT(1)
EIGHT(2)
EIGHT(3)
EIGHT(4)
EIGHT(5)
EIGHT(6)
EIGHT(7)
/* clang-format on */

static step *const steps[64] = {NAMES(0), NAMES(1), NAMES(2), NAMES(3),
                                NAMES(4), NAMES(5), NAMES(6), NAMES(7)};

/* Inlined, so that each function is called by the one before it. */
__attribute__((always_inline)) static inline void go_on(struct walk *walk)
{
    unsigned const level = walk->level++;
    if (level >= levels + tail) {
        allocate(walk);
        return;
    }
    unsigned const shared = level < levels ? level + 1 : levels;
    uint32_t const seen = walk->path & ((UINT32_C(1) << shared) - 1);
    steps[mix(seen * 64 + level) % 64](walk);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    levels = (unsigned)atoi(argv[1]);
    tail = (unsigned)atoi(argv[2]);
    time_t const end = time(NULL) + atoi(argv[3]);
    blocks = calloc((size_t)1 << levels, sizeof(*blocks));
    if (!blocks || levels > 24)
        return 1;
    uint32_t at = 0; /* all paths, in an order that has no runs */
    do {
        for (uint32_t i = 0; i < UINT32_C(1) << levels; i++, at += 0x9e3779b1U)
            go_on(&(struct walk){.path = at & ((UINT32_C(1) << levels) - 1)});
    } while (time(NULL) < end);
    printf("%u calls\n", calls);
    return 0;
}
