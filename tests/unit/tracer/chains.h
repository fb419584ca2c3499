/* chains.h - functions of every shape that call each other at random, and a hook at some places. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct chain {
    void (*hook)(struct chain *chain);
    void *context;
    uint64_t random;
    unsigned depth, max_depth;
    unsigned hooks_left;          /* the walk goes home when there are none left */
    unsigned altstacks, contexts; /* in use, so that they are not used twice */
};

typedef void (*chain_fn)(struct chain *chain);

/* Kept as functions of their own; WITH_RBP: with a frame pointer, whatever the others have. */
#ifdef __clang__
#define CHAIN    __attribute__((noinline))
#define WITH_RBP __attribute__((disable_tail_calls))
#else
#define CHAIN    __attribute__((noinline, noclone))
#define WITH_RBP __attribute__((optimize("no-omit-frame-pointer")))
#endif

/* After a call there must be something to do, or it would be a jump. */
#define AFTER() __asm__ volatile("" ::: "memory")

/* 0 .. limit - 1 */
uint64_t chain_draw(struct chain *chain, uint64_t limit);

/* Frames that move while everything inside them stays in its place. */
void chain_shift(struct chain *chain);

/* Calls functions until the hooks are used up.  `seed` decides which. */
void chain_run(struct chain *chain, uint64_t seed);

/* Calls itself `depth` times, then the hook. */
void chain_recurse(struct chain *chain, unsigned depth);

/* Goes `depth` steps down through a circle of functions that is too long to be taken for
 * recursion.  Calls the hook at the end, and when `also_at` steps are left. */
void chain_descend(struct chain *chain, unsigned depth, unsigned also_at);

/* Calls the hook at the end of a path: a function for each byte, up to one that names none. */
#define CHAIN_BRANCHES 8u
#define CHAIN_PLAIN    3u /* the first ones have no frame pointer, and two of them one size */
#define CHAIN_SAVING   3u
#define CHAIN_BY_FP    4u
#define CHAIN_HUGE     7u
void chain_follow(struct chain *chain, const uint8_t *path);

/* Before any chain: signals that lead on. */
void chain_prepare(void);

/* Whether `works` says so, in a child that a fault ends. */
bool chain_in_child(bool (*works)(void));
