/* arena_raise.h - tells the recorder how many entries of a list in the arena are in use. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "wire/invariant.h"

/* Notes that entry `index` of a list is in use. */
static inline void arena_raise(_Atomic uint32_t *high, uint32_t index)
{
    INVARIANT(index < UINT32_MAX);
    uint32_t now = atomic_load(high);
    while (now <= index && !atomic_compare_exchange_weak(high, &now, index + 1))
        ;
}
