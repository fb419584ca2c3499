/* chains.h - functions of every shape that call each other at random, and a hook at some places. */
#pragma once

#include <stdint.h>

struct chain {
    void (*hook)(struct chain *chain);
    void *context;
    uint64_t random;
    unsigned depth, max_depth;
    unsigned hooks_left;          /* the walk goes home when there are none left */
    unsigned altstacks, contexts; /* in use, so that they are not used twice */
};

/* Calls functions until the hooks are used up.  `seed` decides which. */
void chain_run(struct chain *chain, uint64_t seed);

/* Calls itself `depth` times, then the hook. */
void chain_recurse(struct chain *chain, unsigned depth);

/* Before any chain: signals that lead on. */
void chain_prepare(void);
