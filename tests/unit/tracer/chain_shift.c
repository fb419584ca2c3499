/* SPDX-License-Identifier: Apache-2.0 */
#include <alloca.h>
#include <stdbool.h>

#include "chains.h"

/* Frames that lie elsewhere while all that is inside them stays where it was: only rbp tells.  What
 * was in the old place is not written over. */
struct shift {
    unsigned outer, inner; /* their sum is always the same */
    unsigned leaf;
    bool other_call;
};
#define SHIFT_STEP 64u
#define SHIFT_MAX  16u

CHAIN static void leaf_with_registers(struct chain *chain)
{
    uint64_t a = chain->random, b = a * 3, c = a * 5, d = a * 7, e = a * 11, f = a * 13;
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    chain->hook(chain);
    __asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
}

CHAIN static void leaf_plain(struct chain *chain)
{
    chain->hook(chain);
    AFTER();
}

CHAIN WITH_RBP static void leaf_by_rbp(struct chain *chain)
{
    chain->hook(chain);
    AFTER();
}

CHAIN static void leaf_deeper(struct chain *chain)
{
    leaf_with_registers(chain);
    AFTER();
}

CHAIN static void shift_inner(struct chain *chain, const struct shift *shift)
{
    static const chain_fn leaves[] = {leaf_with_registers, leaf_plain, leaf_by_rbp, leaf_deeper};
    volatile char *room = alloca(16 + shift->inner * SHIFT_STEP);
    __asm__ volatile("" ::"r"(room));
    if (shift->leaf < 4)
        leaves[shift->leaf](chain);
    else
        chain->hook(chain);
    AFTER();
}

CHAIN static void shift_outer(struct chain *chain, const struct shift *shift)
{
    volatile char *room = alloca(16 + shift->outer * SHIFT_STEP);
    __asm__ volatile("" ::"r"(room));
    if (shift->other_call) {
        shift_inner(chain, shift);
        __asm__ volatile("nop" ::: "memory"); /* or the two calls would become one */
    } else {
        shift_inner(chain, shift);
        AFTER();
    }
}

CHAIN void chain_shift(struct chain *chain)
{
    struct shift shift = {.leaf = (unsigned)chain_draw(chain, 5)};
    unsigned rounds = (unsigned)chain_draw(chain, 6);
    for (unsigned i = 0; i < rounds && chain->hooks_left; i++) {
        shift.outer = (unsigned)chain_draw(chain, SHIFT_MAX);
        shift.inner = SHIFT_MAX - shift.outer;
        shift.other_call = chain_draw(chain, 2);
        chain->hooks_left--;
        shift_outer(chain, &shift);
    }
}
