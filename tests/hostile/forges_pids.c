/* SPDX-License-Identifier: Apache-2.0 */
/* forges_pids VICTIM...: says in all the places where the arena has a number of a process or
 * thread that it is VICTIM: in entries of processes that allocate, ask for plans, and end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"

#define SECONDS 1.2
#define ENTRIES 24u

static void forge_entry(struct arena_header *arena, uint32_t index, uint32_t pid)
{
    struct arena_process *entry = arena_process_at(arena, index);
    entry->pid = entry->local_pid = entry->parent_pid = pid;
    entry->serial = atomic_fetch_add(&arena->serials, 1) + 1;
    entry->family = entry->serial;
    entry->forked = index & 1;
    entry->parent = 0;
    entry->fork_id = index & 1 ? 7 : 0;
    snprintf(entry->path, sizeof(entry->path), "/proc/%u/root/etc/shadow", pid);
    atomic_store(&entry->state, PROCESS_RUNNING);
}

static void ask_for_plan(struct arena_header *arena, uint32_t index)
{
    struct arena_bell *bell = arena_bell_of(arena);
    atomic_store(&bell->holder, index + 1);
    atomic_store(&bell->state, PLAN_ASKED);
    usleep(1000);
    atomic_store(&bell->state, PLAN_TAKEN);
}

int main(int count, char **words)
{
    struct arena_header *arena = hostile_begin();
    struct arena_slot *slot = hostile_take_slot(arena);
    if (count < 2)
        return 2;
    for (uint32_t round = 0; !hostile_is_over(SECONDS); round++) {
        uint32_t const index = 2 + round % ENTRIES;
        uint32_t const pid = (uint32_t)strtoul(words[1 + round % (uint32_t)(count - 1)], NULL, 10);
        uint64_t const alloc[2] = {(0x20000ull + round * 16) << 16 | EVENT_ALLOC, 100};
        forge_entry(arena, index, pid);
        atomic_store(&arena->process_high, 2 + ENTRIES);
        if (!hostile_thread(slot, index, pid) || !hostile_put(slot, alloc, 2))
            break;
        ask_for_plan(arena, index);
        arena->recorder_pid = arena->target_pid = pid;
    }
    printf("forged pids\n");
    return 0;
}
