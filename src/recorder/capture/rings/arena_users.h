/* arena_users.h - whether the processes that the arena lists are what it says.
 *
 * Whoever has the arena can write any number of a process into it.  One counts if it has this arena mapped, or was started
 * with its name in the environment; both are looked up in /proc, once for a process that does and once a second for one
 * that does not.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct arena_users;

/* NULL when out of memory: then everything is believed.  `arena` must be mapped. */
struct arena_users *arena_users_create(const struct arena *arena);
void arena_users_destroy(struct arena_users *users);

/* Whether process `pid`, in entry `index` of the list, is to be waited for.  One that was not found to have the arena is
 * believed for a second: it may be about to become another program. */
bool arena_users_has(struct arena_users *users, uint32_t index, uint32_t pid);

/* Whether it runs, but cannot be of those that are recorded: it is older than the arena, which it does not have. */
bool arena_users_is_stranger(struct arena_users *users, uint32_t index, uint32_t pid);
