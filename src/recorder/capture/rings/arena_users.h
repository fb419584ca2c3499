/* arena_users.h - checks whether the processes in the arena's list are what the list says.
 *
 * Whoever has the arena mapped can write any PID into it.  So the recorder acts on a process, or on
 * its files, only if the kernel says that the process has this arena mapped: arena_users_prove.  To
 * wait for a process, less is enough: then the name of the arena in its environment counts as
 * well.  That is looked up once for a process that has the arena or its name, and once a second for
 * one that has neither. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct arena_users;
struct map_list;

/* Returns NULL when out of memory; the other functions take NULL, and then trust no process.
 * `arena` must be mapped. */
struct arena_users *arena_users_create(const struct arena *arena);
void arena_users_destroy(struct arena_users *users);
/* From now on, the arena has another name. */
void arena_users_rename(struct arena_users *users, const char *path);

/* Returns whether `maps`, the mappings of a process as the kernel lists them, contain the arena.
 * Any thread may call this. */
bool arena_users_have(const struct arena_users *users, const struct map_list *maps);
/* Like arena_users_have, for the process with this PID; false for PID 0.  Any thread may call
 * this. */
bool arena_users_prove(const struct arena_users *users, uint32_t pid);

/* Looks at all processes, in the list or not, except PID `besides`.  Returns the PID of one that
 * has the arena mapped, else of one that has its name in the environment; 0 if there is none. */
uint32_t arena_users_find(const struct arena_users *users, uint32_t besides, bool *is_proved);

/* Returns whether to wait for process `pid`, in entry `index` of the list.  A process that was not
 * found to have the arena, but is younger than the arena, is believed for a second: it may be about
 * to execute another program.  Not thread-safe. */
bool arena_users_has(struct arena_users *users, uint32_t index, uint32_t pid);

/* Returns whether the process runs but cannot be one of the recorded processes: it is older than
 * the arena and does not have it.  Not thread-safe. */
bool arena_users_is_stranger(struct arena_users *users, uint32_t index, uint32_t pid);
