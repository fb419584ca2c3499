/* arena_users.h - whether the processes that the arena lists are what it says.
 *
 * Whoever has the arena can write any number of a process into it.  What is done to a process, or
 * with its files, is done only to one of which the kernel says that it has this arena mapped:
 * arena_users_prove.  Whether one is waited for is less: then the name of the arena in its
 * environment counts as well, which is looked up once for a process that has either and once a
 * second for one that has not. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct arena_users;
struct map_list;

/* NULL when out of memory: then nothing is believed.  `arena` must be mapped. */
struct arena_users *arena_users_create(const struct arena *arena);
void arena_users_destroy(struct arena_users *users);
/* The arena is known by another name from now on. */
void arena_users_rename(struct arena_users *users, const char *path);

/* Whether the kernel says that process `pid` has the arena mapped now: `maps` is what it says.  For
 * any thread. */
bool arena_users_have(const struct arena_users *users, const struct map_list *maps);
/* The same, asked by number; 0 never has it. */
bool arena_users_prove(const struct arena_users *users, uint32_t pid);

/* A process besides `besides` that has the arena, or else its name, whether or not the list knows
 * it; 0: none.  All processes are looked at. */
uint32_t arena_users_find(const struct arena_users *users, uint32_t besides, bool *is_proved);

/* Not thread-safe.  Whether process `pid`, in entry `index` of the list, is to be waited for.  One
 * that was not found to have the arena, but is younger than that, is believed for a second: it may
 * be about to become another program. */
bool arena_users_has(struct arena_users *users, uint32_t index, uint32_t pid);

/* Not thread-safe.  Whether it runs, but cannot be of those that are recorded: it is older than
 * the arena, which it does not have. */
bool arena_users_is_stranger(struct arena_users *users, uint32_t index, uint32_t pid);
