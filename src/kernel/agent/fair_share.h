/* fair_share.h - how much of what there is little of one user may have: as much as is then still
 * left to other users, so that nobody can keep others out; and some is kept for root. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct share_count {
    uint32_t of_users;      /* as many as there are for all but root */
    uint32_t taken, theirs; /* by all but root; by the one who asks */
};

static inline void share_count_one(struct share_count *count, uint32_t owner, uint32_t user)
{
    count->taken += owner != 0;
    count->theirs += owner == user;
}

/* Whether `user` may have one more. */
static inline bool is_fair_share(const struct share_count *count, uint32_t user)
{
    return user == 0 ||
           (count->taken < count->of_users && count->theirs < count->of_users - count->taken);
}
