/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/process_keeper.h"

#include "base/clock.h"
#include "capture/rings/arena_users.h"
#include "procfs/process/process_facts.h"

static bool is_listed(struct shared_process *process)
{
    return shared_get(process, state) == PROCESS_RUNNING;
}

uint32_t process_next_image(struct arena *arena, uint32_t index)
{
    struct shared_process *process = shared_process_at(arena->memory, index);
    uint32_t const pid = shared_get(process, pid), serial = shared_get(process, serial);
    uint32_t const high = arena_process_high(arena);
    uint32_t next = PROCESS_NONE;
    int32_t nearest = INT32_MAX;
    for (uint32_t i = 0; pid != 0 && i < high; i++) {
        struct shared_process *other = shared_process_at(arena->memory, i);
        int32_t const after = (int32_t)(shared_get(other, serial) - serial);
        if (!is_listed(other) || shared_get(other, pid) != pid || after <= 0 || after > nearest)
            continue;
        next = i;
        nearest = after;
    }
    return next;
}

bool process_is_superseded(struct arena *arena, uint32_t index)
{
    return process_next_image(arena, index) != PROCESS_NONE;
}

bool process_is_over(struct arena *arena, uint32_t index)
{
    struct shared_process *process = shared_process_at(arena->memory, index);
    uint32_t const pid = shared_get(process, pid);
    return is_listed(process) && pid != 0 &&
           (!process_runs(pid) || process_is_superseded(arena, index));
}

bool process_any_runs(struct arena *arena, uint32_t besides_pid)
{
    uint32_t const high = arena_process_high(arena);
    for (uint32_t i = 0; i < high; i++) {
        struct shared_process *process = shared_process_at(arena->memory, i);
        uint32_t const pid = shared_get(process, pid);
        if (is_listed(process) && pid != besides_pid && process_runs(pid) &&
            arena_users_has(arena->users, i, pid))
            return true;
    }
    return false;
}

bool process_is_stranger(struct arena *arena, uint32_t index)
{
    uint32_t const pid = shared_get(shared_process_at(arena->memory, index), pid);
    return arena_users_is_stranger(arena->users, index, pid);
}

static bool family_is_listed(struct arena *arena, uint32_t family)
{
    uint32_t const high = arena_process_high(arena);
    for (uint32_t i = 0; i < high; i++) {
        struct shared_process *process = shared_process_at(arena->memory, i);
        if (is_listed(process) && shared_get(process, family) == family)
            return true;
    }
    return false;
}

static void change_modules(struct arena *arena, uint32_t family, uint32_t from, uint32_t to)
{
    uint32_t const high = shared_get(arena->memory, module_high);
    for (uint32_t i = 1; i < high && i < ARENA_MODULES; i++) {
        struct shared_module *module = shared_module_at(arena->memory, i);
        if (shared_get(module, family) == family && shared_get(module, state) == from)
            shared_set(module, state, to);
    }
}

/* A child may have been forked from the family and enter the list at this moment.  It does so
 * before it looks at the modules, and we look at the list after we marked them: one of the two
 * notices. */
static void release_modules(struct arena *arena, uint32_t family)
{
    if (family_is_listed(arena, family))
        return;
    change_modules(arena, family, MODULE_READY, MODULE_LEAVING);
    change_modules(arena, family, MODULE_LEAVING,
                   family_is_listed(arena, family) ? MODULE_READY : MODULE_FREE);
}

void process_release(struct arena *arena, uint32_t index)
{
    struct shared_process *process = shared_process_at(arena->memory, index);
    uint32_t const family = shared_get(process, family);
    shared_clear_process(process);
    shared_set(process, state, PROCESS_FREE);
    release_modules(arena, family);
}

uint64_t process_begin_ns(const struct arena *arena, uint32_t process,
                          const struct tick_clock *clock, uint64_t now_ns)
{
    struct shared_process *entry = shared_process_at(arena->memory, process);
    uint64_t begin_ns = tick_clock_ns(clock, shared_get(entry, start_tsc));
    uint64_t const age = shared_get(entry, forked) ? process_age_ns(shared_get(entry, pid)) : 0;
    if (age > 0) {
        uint64_t const now = monotonic_ns() - clock->first_ns;
        begin_ns = age < now ? now - age : 0;
    }
    return begin_ns < now_ns ? begin_ns : now_ns;
}
