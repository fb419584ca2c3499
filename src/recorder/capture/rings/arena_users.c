/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/arena_users.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/invariant.h"
#include "capture/rings/arena.h"
#include "procfs/memory/maps.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/process_facts.h"

#define LOOK_EVERY_NS NS_PER_SECOND
#define AGE_MARGIN_NS 100000000ull /* the kernel tells it in hundredths of a second */

/* One that ends, or is of the kernel, has no memory at all. */
enum arena_finding { HAS_ARENA, LACKS_ARENA, HAS_NO_MEMORY, NOT_TOLD };

struct known_user {
    uint32_t pid;
    bool has_arena;
    bool is_sure; /* that it has none: it was looked at twice */
    bool is_old;  /* older than the arena */
    uint64_t looked_ns;
};

struct arena_users {
    uint64_t inode, device;    /* of the arena, as in the maps of a process */
    char path[ARENA_NAME_MAX]; /* the name of the arena in the environment */
    struct known_user known[ARENA_PROCESSES];
};

struct arena_users *arena_users_create(const struct arena *arena)
{
    struct map_list maps;
    struct arena_users *users = calloc(1, sizeof(*users));
    if (!users || map_list_read((uint32_t)getpid(), &maps) < 0) {
        free(users);
        return NULL;
    }
    const struct map_region *own = map_list_find(&maps, (uint64_t)(uintptr_t)arena->memory);
    bool const found = own != NULL;
    if (found) {
        users->inode = own->inode;
        users->device = own->device;
    }
    arena_path(arena, users->path, sizeof(users->path));
    map_list_fini(&maps);
    if (!found) {
        free(users);
        return NULL;
    }
    return users;
}

void arena_users_destroy(struct arena_users *users)
{
    free(users);
}

static bool names_arena(const struct arena_users *users, uint32_t tid)
{
    char value[sizeof(users->path)];
    return process_variable(tid, "MEMOIR_ARENA", value, sizeof(value)) &&
           strcmp(value, users->path) == 0;
}

bool arena_users_have(const struct arena_users *users, const struct map_list *maps)
{
    if (!users)
        return false;
    vec_each (region, &maps->regions)
        if (region->shared && region->inode == users->inode && region->device == users->device)
            return true;
    return false;
}

static enum arena_finding look_at_thread(const struct arena_users *users, uint32_t tid)
{
    struct map_list maps;
    if (map_list_read(tid, &maps) < 0)
        return NOT_TOLD;
    bool const is_empty = maps.regions.count == 0, found = arena_users_have(users, &maps);
    map_list_fini(&maps);
    return found ? HAS_ARENA : is_empty ? HAS_NO_MEMORY : LACKS_ARENA;
}

/* The first thread may have ended before the others, which have the memory then. */
static enum arena_finding look_at_memory(const struct arena_users *users, uint32_t pid)
{
    enum arena_finding found = look_at_thread(users, pid);
    DIR *threads = found == HAS_NO_MEMORY ? proc_open_folder(pid, PROC_TASKS) : NULL;
    for (struct dirent *entry; threads && found == HAS_NO_MEMORY && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            found = look_at_thread(users, (uint32_t)strtoul(entry->d_name, NULL, 10));
    if (threads)
        closedir(threads);
    return found;
}

bool arena_users_prove(const struct arena_users *users, uint32_t pid)
{
    return users && pid != 0 && look_at_memory(users, pid) == HAS_ARENA;
}

/* One that becomes another program has its memory only once our library is in it. */
static enum arena_finding look_at_process(const struct arena_users *users, uint32_t pid)
{
    enum arena_finding const found = look_at_memory(users, pid);
    return found != NOT_TOLD && names_arena(users, pid) ? HAS_ARENA : found;
}

/* Than the recorder, and so than the arena. */
static bool is_older(uint32_t pid)
{
    return process_age_ns(pid) > process_age_ns((uint32_t)getpid()) + AGE_MARGIN_NS;
}

/* Of one that may not be looked at (it has more rights than we) the age decides. */
static void look(const struct arena_users *users, struct known_user *known)
{
    enum arena_finding const found = look_at_process(users, known->pid);
    known->is_old = is_older(known->pid);
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
