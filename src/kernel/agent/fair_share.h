/* fair_share.h - how much of a scarce resource one user may have: at most as much as is then still
 * left to other users, so that no user can keep others out.  A part is kept for root. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct share_count {
    uint32_t of_users;      /* How many there are for all users but root. */
    uint32_t taken, theirs; /* Taken by all but root; by the user who asks. */
};

static inline void share_count_one(struct share_count *count, uint32_t owner, uint32_t user)
{
    count->taken += owner != 0;
    count->theirs += owner == user;
}

/* Returns whether `user` may have one more. */
static inline bool is_fair_share(const struct share_count *count, uint32_t user)
{
    return user == 0 ||
           (count->taken < count->of_users && count->theirs < count->of_users - count->taken);
}
