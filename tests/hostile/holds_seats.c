/* SPDX-License-Identifier: Apache-2.0 */
/* holds_seats: leaves every lock of the arena held, by threads and children that are stopped or
 * are no more. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

static void hold_all(struct arena_header *arena)
{
    struct arena_bell *bell = arena_bell_of(arena);
    for (uint32_t i = 0; i < ARENA_SLOTS; i++)
        atomic_store(&arena_tag_at(arena, i)->owner, i % 2 ? SLOT_TAKING : 1);
    for (uint32_t i = 1; i < ARENA_PROCESSES; i++)
        atomic_store(&arena_process_at(arena, i)->state, PROCESS_TAKING);
    for (uint32_t i = 1; i < ARENA_MODULES; i++)
        atomic_store(&arena_module_at(arena, i)->state, MODULE_TAKING);
    atomic_store(&arena->slot_high, ARENA_SLOTS);
    atomic_store(&arena->process_high, ARENA_PROCESSES);
    atomic_store(&bell->holder, 1);
    atomic_store(&bell->state, PLAN_READY);
    atomic_store(&arena->holds_end, 1);
}

int main(void)
{
    struct arena_header *arena = hostile_begin();
    pid_t const child = fork();
    if (child == 0) {
        for (int i = 0; i < 1000; i++)
            free(malloc(100));
        hold_all(arena);
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(child, NULL, WUNTRACED);
    usleep(500000);
    hold_all(arena);
    for (int i = 0; i < 1000; i++)
        free(malloc(100));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("held seats\n");
    return 0;
}
