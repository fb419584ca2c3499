/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/rings/turn.h"

#include "machine/processor.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/thread.h"
#include "wire/invariant.h"

#define SPINS        500 /* about 20 us */
#define SHORT_TRIES  250 /* about 20 ms: a nap takes 50 us longer than asked for */
#define SHORT_NAP_NS 20000l
#define LONG_TRIES   10000
#define LONG_NAP_NS  1000000l

static bool is_to_wait(void)
{
    const struct arena_header *header = tracer_process.header;
    return header && atomic_load(&header->longest_wait_ns) == 0;
}

static bool try_once(struct turn *turn, uint64_t self, bool again)
{
    INVARIANT(self != 0); /* that is nobody */
    uint64_t owner = 0;
    return atomic_compare_exchange_strong(&turn->owner, &owner, self) || (again && owner == self);
}

bool turn_claim(struct turn *turn, bool again)
{
    uint64_t const self = (uint64_t)__builtin_thread_pointer();
    for (int i = 0; i < SPINS; i++) {
        if (try_once(turn, self, again))
            return true;
        processor_rest();
    }
    uint64_t const owner = atomic_load(&turn->owner);
    if (owner == self || (owner && owner == atomic_load(&turn->abandoned)))
        return false;
    int const tries = is_to_wait() ? SHORT_TRIES + LONG_TRIES : SHORT_TRIES;
    for (int i = 0; i < tries; i++) {
        raw_nap(i < SHORT_TRIES ? SHORT_NAP_NS : LONG_NAP_NS);
        if (try_once(turn, self, again))
            return true;
    }
    if (atomic_load(&turn->owner) == owner)
        atomic_store(&turn->abandoned, owner);
    return false;
}

void turn_give(struct turn *turn)
{
    atomic_store(&turn->abandoned, 0);
    atomic_store(&turn->owner, 0);
}
