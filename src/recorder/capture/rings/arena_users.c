/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/arena_users.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/invariant.h"
#include "capture/rings/arena.h"
#include "keeper/keeper.h"
#include "procfs/memory/maps.h"
#include "procfs/process/process_facts.h"

#define LOOK_EVERY_NS NS_PER_SECOND

struct known_user {
    uint32_t pid;
    bool has_arena;
    bool is_sure; /* that it has none: it was looked at twice */
    bool is_old;  /* older than the arena */
    uint64_t looked_ns;
};

struct arena_users {
    struct arena_mark mark;
    struct known_user known[ARENA_PROCESSES];
};

struct arena_users *arena_users_create(const struct arena *arena)
{
    char path[ARENA_NAME_MAX];
    struct arena_users *users = calloc(1, sizeof(*users));
    arena_path(arena, path, sizeof(path));
    if (users && arena_mark_init(&users->mark, arena->memory, path) == 0)
        return users;
    free(users);
    return NULL;
}

void arena_users_destroy(struct arena_users *users)
{
    free(users);
}

void arena_users_rename(struct arena_users *users, const char *path)
{
    if (users)
        snprintf(users->mark.path, sizeof(users->mark.path), "%s", path);
}

bool arena_users_have(const struct arena_users *users, const struct map_list *maps)
{
    return users && arena_mark_is_in(&users->mark, maps);
}

/* Who may not look has it looked at. */
static enum arena_finding find_out(const struct arena_users *users, uint32_t pid, bool *is_old)
{
    enum arena_finding found = NOT_TOLD;
    *is_old = false;
    if (keeper_is_used())
        return keeper_uses_arena(pid, &found, is_old) < 0 ? NOT_TOLD : found;
    found = arena_mark_look(&users->mark, pid);
    *is_old = arena_mark_is_older(&users->mark, pid);
    return found;
}

bool arena_users_prove(const struct arena_users *users, uint32_t pid)
{
    struct map_list maps;
    if (!users || pid == 0)
        return false;
    if (!keeper_is_used())
        return arena_mark_proves(&users->mark, pid);
    if (map_list_read(pid, &maps) < 0) /* shown only of those that have it */
        return false;
    bool const has_arena = arena_mark_is_in(&users->mark, &maps);
    map_list_fini(&maps);
    return has_arena;
}

uint32_t arena_users_find(const struct arena_users *users, uint32_t besides, bool *is_proved)
{
    *is_proved = false;
    if (!users)
        return 0;
    return keeper_is_used() ? keeper_find_user(besides, is_proved)
                            : arena_mark_find(&users->mark, besides, is_proved);
}

/* Of one that may not be looked at (it has more rights than we) the age decides. */
static void look(const struct arena_users *users, struct known_user *known)
{
    enum arena_finding const found = find_out(users, known->pid, &known->is_old);
    known->has_arena = found == HAS_ARENA || (found == NOT_TOLD && !known->is_old);
    known->looked_ns = monotonic_ns();
}

/* What was found out lately for another entry with the same number; NULL: nothing. */
static const struct known_user *find_same(const struct arena_users *users, uint32_t pid,
                                          uint64_t now)
{
    for (uint32_t i = 0; i < ARENA_PROCESSES; i++)
        if (users->known[i].pid == pid && now - users->known[i].looked_ns < LOOK_EVERY_NS)
            return &users->known[i];
    return NULL;
}

static const struct known_user *know(struct arena_users *users, uint32_t index, uint32_t pid)
{
    INVARIANT(index < ARENA_PROCESSES);
    struct known_user *known = &users->known[index];
    uint64_t const now = monotonic_ns();
    bool const is_new = known->pid != pid;
    if (!is_new && (known->has_arena || now - known->looked_ns < LOOK_EVERY_NS))
        return known;
    const struct known_user *same = find_same(users, pid, now);
    if (same) {
        *known = *same;
        return known;
    }
    known->is_sure = !is_new;
    known->pid = pid;
    look(users, known);
    INVARIANT(known->pid == pid && known->is_sure == !is_new);
    return known;
}

bool arena_users_has(struct arena_users *users, uint32_t index, uint32_t pid)
{
    if (!users)
        return false;
    const struct known_user *known = know(users, index, pid);
    return known->has_arena || (!known->is_sure && !known->is_old);
}

bool arena_users_is_stranger(struct arena_users *users, uint32_t index, uint32_t pid)
{
    if (!users || pid == 0 || !process_runs(pid))
        return false;
    const struct known_user *known = know(users, index, pid);
    return !known->has_arena && known->is_old;
}
