/* arena_mark.h - which processes have the shared memory of a recording mapped, as the kernel says.
 *
 * Any process that has the arena can write any PID into it, and a confined recorder may ask about
 * any: only what the kernel says of a process counts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ARENA_NAME_MAX 64 /* With its NUL. */

/* HAS_NO_MEMORY: the process is ending, or is a kernel thread. */
enum arena_finding { HAS_ARENA, LACKS_ARENA, HAS_NO_MEMORY, NOT_TOLD, ARENA_FINDINGS };

struct map_list;
struct arena_mark {
    uint64_t inode, device;    /* Of the arena, as in the maps of a process. */
    char path[ARENA_NAME_MAX]; /* Its name in the environment of processes that will map it. */
    uint32_t recorder;         /* PID of the process that made it. */
    uint64_t at;               /* Where that process, and its forks, have it mapped. */
};

/* Sets the mark of the arena that this process has mapped at `memory`.  Returns 0 or -errno. */
int arena_mark_init(struct arena_mark *mark, const void *memory, const char *path);

/* Returns whether a process with these mappings has the arena. */
bool arena_mark_is_in(const struct arena_mark *mark, const struct map_list *maps);
/* Returns whether process `pid` has the arena mapped now; false for 0. */
bool arena_mark_proves(const struct arena_mark *mark, uint32_t pid);
/* Finds out whether a process has the arena mapped, or has its name in the environment because it
 * is about to map it. */
enum arena_finding arena_mark_look(const struct arena_mark *mark, uint32_t pid);
/* Returns a process that has the arena mapped, else one that has its name in the environment;
 * neither `besides`, nor the recorder or its forks.  Returns 0 if there is none that may be looked
 * at.  Looks at all processes younger than the recorder. */
uint32_t arena_mark_find(const struct arena_mark *mark, uint32_t besides, bool *is_proved);
/* Returns whether a process is older than the recorder, and therefore than the arena. */
bool arena_mark_is_older(const struct arena_mark *mark, uint32_t pid);
