/* allowance.h - how much of something costly may be done: so much at once, and then as much as is added with time.
 *
 * For work that a hostile program could ask for without end.  In whatever unit the work is counted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct allowance {
    uint64_t most; /* that can be saved up; what there is at first */
    uint64_t spent;
};

static inline void allowance_spend(struct allowance *allowance, uint64_t cost)
{
    uint64_t const left = allowance->most - allowance->spent;
    allowance->spent += cost < left ? cost : left;
}

static inline bool allowance_is_left(const struct allowance *allowance)
{
    return allowance->spent < allowance->most;
}

/* Takes the cost out if it is there.  What costs more than can ever be saved up takes all of it. */
static inline bool allowance_take(struct allowance *allowance, uint64_t cost)
{
    uint64_t const left = allowance->most - allowance->spent;
    if (allowance->spent > 0 && cost > left)
        return false;
    allowance_spend(allowance, cost);
    return true;
}

static inline void allowance_add(struct allowance *allowance, uint64_t more)
{
    allowance->spent -= more < allowance->spent ? more : allowance->spent;
}
