/* SPDX-License-Identifier: Apache-2.0 */
#include "keeper/arena_mark.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/memory/maps.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/process_facts.h"

#define AGE_MARGIN_NS 100000000ull /* the kernel tells it in hundredths of a second */

int arena_mark_init(struct arena_mark *mark, const void *memory, const char *path)
{
    struct map_list maps;
    *mark = (struct arena_mark){.recorder = (uint32_t)getpid()};
    snprintf(mark->path, sizeof(mark->path), "%s", path);
    int err = map_list_read(mark->recorder, &maps);
    if (err < 0)
        return err;
    const struct map_region *own = map_list_find(&maps, (uint64_t)(uintptr_t)memory);
    err = own ? 0 : -ENOENT;
    if (own) {
        mark->inode = own->inode;
        mark->device = own->device;
        mark->at = own->start;
    }
    map_list_fini(&maps);
    return err;
}

bool arena_mark_is_in(const struct arena_mark *mark, const struct map_list *maps)
{
    vec_each (region, &maps->regions)
        if (region->shared && region->inode == mark->inode && region->device == mark->device)
            return true;
    return false;
}

static enum arena_finding look_at_thread(const struct arena_mark *mark, uint32_t tid)
{
    struct map_list maps;
    if (map_list_read(tid, &maps) < 0)
        return NOT_TOLD;
    bool const is_empty = maps.regions.count == 0, found = arena_mark_is_in(mark, &maps);
    map_list_fini(&maps);
    return found ? HAS_ARENA : is_empty ? HAS_NO_MEMORY : LACKS_ARENA;
}

/* The first thread may have ended before the others, which have the memory then. */
static enum arena_finding look_at_memory(const struct arena_mark *mark, uint32_t pid)
{
    enum arena_finding found = look_at_thread(mark, pid);
    DIR *threads = found == HAS_NO_MEMORY ? proc_open_folder(pid, PROC_TASKS) : NULL;
    for (struct dirent *entry; threads && found == HAS_NO_MEMORY && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            found = look_at_thread(mark, (uint32_t)strtoul(entry->d_name, NULL, 10));
    if (threads)
        closedir(threads);
    return found;
}

bool arena_mark_proves(const struct arena_mark *mark, uint32_t pid)
{
    return pid != 0 && look_at_memory(mark, pid) == HAS_ARENA;
}

static bool names_arena(const struct arena_mark *mark, uint32_t pid)
{
    char value[sizeof(mark->path)];
    return process_variable(pid, "MEMOIR_ARENA", value, sizeof(value)) &&
           strcmp(value, mark->path) == 0;
}

/* One that becomes another program has its memory only once our library is in it. */
enum arena_finding arena_mark_look(const struct arena_mark *mark, uint32_t pid)
{
    enum arena_finding const found = look_at_memory(mark, pid);
    return found != NOT_TOLD && names_arena(mark, pid) ? HAS_ARENA : found;
}

static bool is_of_recorder(const struct arena_mark *mark, uint32_t pid)
{
    struct map_list maps;
    if (pid == mark->recorder)
        return true;
    if (map_list_read(pid, &maps) < 0)
        return false;
    const struct map_region *region = map_list_find(&maps, mark->at);
    bool const is_ours = region && region->start == mark->at && region->shared &&
                         region->inode == mark->inode && region->device == mark->device;
    map_list_fini(&maps);
    return is_ours;
}

uint32_t arena_mark_find(const struct arena_mark *mark, uint32_t besides, bool *is_proved)
{
    uint32_t found = 0;
    DIR *folder = opendir("/proc");
    *is_proved = false;
    for (struct dirent *entry; folder && !*is_proved && (entry = readdir(folder));) {
        uint32_t const pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (pid == 0 || pid == besides || arena_mark_is_older(mark, pid) ||
            arena_mark_look(mark, pid) != HAS_ARENA || is_of_recorder(mark, pid))
            continue;
        *is_proved = arena_mark_proves(mark, pid);
        found = pid;
    }
    if (folder)
        closedir(folder);
    return found;
}

bool arena_mark_is_older(const struct arena_mark *mark, uint32_t pid)
{
    return process_age_ns(pid) > process_age_ns(mark->recorder) + AGE_MARGIN_NS;
}
