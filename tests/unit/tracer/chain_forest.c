/* SPDX-License-Identifier: Apache-2.0 */
/* chain_forest.c - call paths that are told frame by frame. */
#include "chains.h"

#include <alloca.h>

static void follow(struct chain *chain, const uint8_t *path);

#define HOLD(room) __asm__ volatile("" ::"r"(room) : "memory")

#define BRANCH(name, kind, bytes)                                                                  \
    CHAIN kind static void name(struct chain *chain, const uint8_t *path)                          \
    {                                                                                              \
        char room[bytes];                                                                          \
        HOLD(room);                                                                                \
        follow(chain, path);                                                                       \
        AFTER();                                                                                   \
    }
/* Two of one size: only the return address tells them apart. */
BRANCH(one, , 40)
BRANCH(twin, , 40)
BRANCH(larger, , 200)
BRANCH(by_rbp, WITH_RBP, 24)
BRANCH(huge, , 600000) /* more than a common rule has room for */

/* Keeps fp (the frame pointer) as any other register: its caller's is where it was saved. */
CHAIN static void registers(struct chain *chain, const uint8_t *path)
{
    uint64_t a = chain->random, b = a * 3, c = a * 5, d = a * 7, e = a * 11, f = a * 13;
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    follow(chain, path);
    __asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
}

CHAIN static void with_alloca(struct chain *chain, const uint8_t *path)
{
    char *room = alloca(64 + path[1] * 16u);
    HOLD(room);
    follow(chain, path);
    AFTER();
}

CHAIN static void realigned(struct chain *chain, const uint8_t *path)
{
    _Alignas(64) char room[192];
    HOLD(room);
    follow(chain, path);
    AFTER();
}

static __attribute__((always_inline)) inline void follow(struct chain *chain, const uint8_t *path)
{
    static void (*const branches[])(struct chain *, const uint8_t *) = {
        one, twin, larger, registers, by_rbp, with_alloca, realigned, huge};
    if (path[0] < CHAIN_BRANCHES)
        branches[path[0]](chain, path + 1);
    else
        chain->hook(chain);
}

CHAIN void chain_follow(struct chain *chain, const uint8_t *path)
{
    follow(chain, path);
    AFTER();
}
