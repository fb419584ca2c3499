/* allowance.h - a budget for costly work that refills over time (a token bucket).
 *
 * For work that a hostile program could request without end.  The unit is up to the caller. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct allowance {
    uint64_t most; /* Size of the full budget; a new allowance is full. */
    uint64_t spent;
};

/* Spends `cost`; spends the rest of the budget if less than `cost` is left. */
static inline void allowance_spend(struct allowance *allowance, uint64_t cost)
{
    uint64_t const left = allowance->most - allowance->spent;
    allowance->spent += cost < left ? cost : left;
}

static inline bool allowance_is_left(const struct allowance *allowance)
{
    return allowance->spent < allowance->most;
}

/* Spends `cost` and returns true if the budget covers the cost; otherwise returns false and spends
 * nothing.  A cost above `most` is allowed while the budget is full, and empties it. */
static inline bool allowance_try_spend(struct allowance *allowance, uint64_t cost)
{
    uint64_t const left = allowance->most - allowance->spent;
    if (allowance->spent > 0 && cost > left)
        return false;
    allowance_spend(allowance, cost);
    return true;
}

/* Refills the budget by `more`, up to `most`. */
static inline void allowance_add(struct allowance *allowance, uint64_t more)
{
    allowance->spent -= more < allowance->spent ? more : allowance->spent;
}
