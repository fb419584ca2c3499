/* SPDX-License-Identifier: Apache-2.0 */
/* null_reader LIBRARY PROGRAM ARGS…: runs a program with the tracer in it and throws its events
 * away as fast as it can: what the tracer alone costs, and how it scales. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "capture/rings/arena.h"
#include "capture/programs/launch.h"
#include "machine/processor.h"

static void drain(struct arena *arena)
{
    uint32_t high = arena_slot_high(arena);
    shared_set(arena->memory, clock, processor_ticks());
    for (uint32_t i = 0; i < high; i++) {
        struct shared_slot *slot = shared_slot_at(arena->memory, i);
        shared_set(slot, tail, shared_get(slot, head));
    }
}

int main(int argc, char **argv)
{
    struct arena arena;
    struct fault fault = {0};
    char path[64], program[4096];
    int status = 0;
    if (argc < 3)
        return 2;
    launch_remember();
    if (arena_open(&arena, false, &fault) < 0 ||
        launch_find(argv[2], program, sizeof(program), &fault) < 0) {
        fprintf(stderr, "null_reader: %s\n", fault.text);
        return 1;
    }
    arena_path(&arena, path, sizeof(path));
    struct launch launch = {program, argv + 2, argv[1], path, NULL, NULL};
    pid_t pid = launch_start(&launch, &fault);
    if (pid < 0) {
        fprintf(stderr, "null_reader: %s\n", fault.text);
        return 1;
    }
    struct timespec nap = {0, 200000};
    while (waitpid(pid, &status, WNOHANG) == 0) {
        drain(&arena);
        nanosleep(&nap, NULL);
    }
    arena_close(&arena);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
