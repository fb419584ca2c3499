/* arena_mark.h - which processes have the shared memory of a recording mapped, as the kernel says.
 *
 * Whoever has the arena can write any number of a process into it, and a confined recorder may ask
 * about any: only what the kernel says of a process counts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ARENA_NAME_MAX 64 /* with its NUL */

/* One that ends, or is of the kernel, has no memory at all. */
enum arena_finding { HAS_ARENA, LACKS_ARENA, HAS_NO_MEMORY, NOT_TOLD, ARENA_FINDINGS };

struct map_list;
struct arena_mark {
    uint64_t inode, device;    /* of the arena, as in the maps of a process */
    char path[ARENA_NAME_MAX]; /* its name in the environment of those that will map it */
    uint32_t recorder;         /* who made it */
    uint64_t at;               /* where that, and what it forks, has it mapped */
};

/* Of the arena that this process has mapped at `memory`.  0 or -errno. */
int arena_mark_init(struct arena_mark *mark, const void *memory, const char *path);

/* Whether a process with these mappings has it. */
bool arena_mark_is_in(const struct arena_mark *mark, const struct map_list *maps);
/* Whether process `pid` has it mapped now; 0 never has. */
bool arena_mark_proves(const struct arena_mark *mark, uint32_t pid);
/* The same, or has its name in the environment: about to map it. */
enum arena_finding arena_mark_look(const struct arena_mark *mark, uint32_t pid);
/* A process that has it mapped, or else one with its name in the environment: neither `besides`,
 * nor the recorder or what that forked.  0: there is none that may be looked at.  It looks at all
 * that are younger than the recorder. */
uint32_t arena_mark_find(const struct arena_mark *mark, uint32_t besides, bool *is_proved);
/* Whether a process is older than the recorder, and so than the arena. */
bool arena_mark_is_older(const struct arena_mark *mark, uint32_t pid);
