/* arena_raise.h - how the tracer tells the recorder how far a list of the arena is in use. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "wire/invariant.h"

/* Takes note that entry `index` of a list is in use. */
static inline void arena_raise(_Atomic uint32_t *high, uint32_t index)
{
    INVARIANT(index < UINT32_MAX);
    uint32_t now = atomic_load(high);
    while (now <= index && !atomic_compare_exchange_weak(high, &now, index + 1))
        ;
}
