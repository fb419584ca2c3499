/* SPDX-License-Identifier: Apache-2.0 */
/* rings_for_others VICTIM [STRANGER]: of two processes that share an arena, one has given up its
 * rights and writes whatever it likes to what both use to ask for plans: that a plan is there,
 * that it was taken, and the ids of other processes (STRANGER and its parent).  The other runs
 * VICTIM ten times meanwhile.  Prints how often that went well. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "subject.h"
#include "wire/arena.h"

static struct arena_header *find_arena(void)
{
    char line[512];
    unsigned long start = 0, offset;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof(line), maps)) {
        if (strstr(line, "/memfd:memoir") && strstr(line, "rw-s") &&
            sscanf(line, "%lx-%*x %*s %lx", &start, &offset) == 2 && offset == 0)
            break;
        start = 0;
    }
    if (maps)
        fclose(maps);
    return (struct arena_header *)start;
}

static void rings(struct arena_header *arena, uint32_t stranger)
{
    struct arena_bell *bell = arena_bell_of(arena);
    uint32_t const others[] = {stranger, (uint32_t)getppid()};
    for (uint32_t round = 0;; round++) {
        struct arena_process *entry = NULL;
        uint32_t index;
        for (index = 0; index < ARENA_PROCESSES && !entry; index++)
            if (arena_process_at(arena, index)->pid == (uint32_t)getpid())
                entry = arena_process_at(arena, index);
        if (round % 3 == 0 && entry && others[round / 3 % 2]) {
            entry->pid = others[round / 3 % 2];
            atomic_store(&bell->holder, index);
            atomic_store(&bell->state, PLAN_ASKED);
            usleep(3000);
            entry->pid = (uint32_t)getpid();
        }
        atomic_store(&bell->state, round % 2 ? PLAN_READY : PLAN_TAKEN);
        for (uint32_t i = 0; i < INSIDE_PATCHES; i++)
            atomic_store(&bell->outcomes[i], INSIDE_HOOKED);
        usleep(round % 50);
    }
}

int main(int count, char **words)
{
    char command[4096];
    unsigned well = 0;
    if (count < 2)
        return 2;
    free(malloc(10));
    struct arena_header *arena = find_arena();
    uint32_t const stranger = count > 2 ? (uint32_t)strtoul(words[2], NULL, 10) : 0;
    pid_t const ringer = fork();
    if (ringer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (setgid(65534) < 0 || setuid(65534) < 0)
            _exit(1);
        free(malloc(10));
        if (arena)
            rings(arena, stranger);
        _exit(0);
    }
    snprintf(command, sizeof(command), "%s >/dev/null", words[1]);
    for (unsigned i = 0; i < 10; i++)
        well += system(command) == 0;
    kill(ringer, SIGKILL);
    waitpid(ringer, NULL, 0);
    printf("arena %s, %u of 10 went well\n", arena ? "there" : "missing", well);
    return well == 10 ? 0 : 1;
}
