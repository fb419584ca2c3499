/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/survivors.h"

#include "base/clock.h"
#include "capture/rings/arena_users.h"
#include "capture/sessions/process_keeper.h"

#define LOOK_EVERY_NS 20000000ull
#define LOOKS_ALONE   2u
#define LOOKS_NAMED   50u

static bool has_unlisted(struct survivors *survivors, const struct arena *arena, uint32_t program)
{
    bool is_proved;
    if (arena_users_prove(arena->users, survivors->unlisted))
        return true;
    survivors->unlisted = arena_users_find(arena->users, program, &is_proved);
    survivors->looks_named = is_proved ? 0 : survivors->looks_named + 1;
    return survivors->unlisted != 0 && survivors->looks_named < LOOKS_NAMED;
}

bool survivors_are_there(struct survivors *survivors, struct arena *arena, uint32_t program)
{
    uint64_t const now = monotonic_ns();
    if (survivors->looks_alone >= LOOKS_ALONE)
        return false;
    if (now < survivors->look_ns)
        return true;
    survivors->look_ns = now + LOOK_EVERY_NS;
    bool const is_there =
        process_any_runs(arena, program) || has_unlisted(survivors, arena, program);
    survivors->looks_alone = is_there ? 0 : survivors->looks_alone + 1;
    return survivors->looks_alone < LOOKS_ALONE;
}
