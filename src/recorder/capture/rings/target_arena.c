/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/target_arena.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>

#include "inject/library/remote_memory.h"
#include "procfs/memory/maps.h"
#include "procfs/process/own_program.h"
#include "wire/arena.h"

/* The header at `address`, if it is one, and whether its recorder lives. */
static enum recorder_state look(const struct remote_memory *memory, uint64_t address,
                                struct target_arena *arena)
{
    struct arena_header header;
    uint32_t lock;
    if (!remote_read(memory, address, &header, sizeof(header)) || header.magic != ARENA_MAGIC ||
        header.lock_offset != ARENA_LOCK_AT ||
        !remote_read(memory, address + ARENA_LOCK_AT, &lock, sizeof(lock)))
        return RECORDER_NONE;
    *arena = (struct target_arena){address, header.recorder_pid, header.attached_path[0] != '\0'};
    return (lock & FUTEX_OWNER_DIED) || (lock & FUTEX_TID_MASK) == 0 ? RECORDER_DEAD
                                                                     : RECORDER_LIVES;
}

/* The number of the recorder is what the process says.  A recorder is memoir and has the arena
 * mapped: nobody else is to be called one, for somebody may end it.  A mapping alone proves little:
 * a program can hand its memory to a server of somebody else. */
static bool has_mapped(uint32_t pid, const struct map_region *arena)
{
    struct map_list maps;
    bool found = false;
    if (pid == 0 || map_list_read(pid, &maps) < 0)
        return false;
    vec_each (region, &maps.regions)
        found |= region->shared && region->inode == arena->inode && region->device == arena->device;
    map_list_fini(&maps);
    return found;
}

static void check_recorder(pid_t pid, const struct map_region *region, struct target_arena *arena)
{
    if (arena->recorder_pid == (uint32_t)pid ||
        !own_program_is(arena->recorder_pid, "memoir-record") ||
        !has_mapped(arena->recorder_pid, region))
        arena->recorder_pid = 0;
}

enum recorder_state target_arena_find(pid_t pid, struct target_arena *arena)
{
    enum recorder_state state = RECORDER_NONE;
    struct remote_memory memory;
    struct map_list maps;
    if (remote_memory_open(&memory, pid) < 0)
        return RECORDER_NONE;
    if (map_list_read((uint32_t)pid, &maps) == 0) {
        vec_each (region, &maps.regions) {
            if (state != RECORDER_NONE || region->offset != 0 || !region->shared ||
                strncmp(region->name, "/memfd:memoir", strlen("/memfd:memoir")) != 0)
                continue;
            state = look(&memory, region->start, arena);
            if (state != RECORDER_NONE)
                check_recorder(pid, region, arena);
        }
        map_list_fini(&maps);
    }
    remote_memory_close(&memory);
    return state;
}

int target_arena_ask_to_end(pid_t pid, const struct target_arena *arena)
{
    struct remote_memory memory;
    uint32_t asked = 1;
    int err = remote_memory_open(&memory, pid);
    if (err < 0)
        return err;
    if (!remote_write(&memory, arena->address + offsetof(struct arena_header, end_asked), &asked,
                      sizeof(asked)))
        err = -EIO;
    remote_memory_close(&memory);
    return err;
}
