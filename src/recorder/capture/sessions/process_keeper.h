/* process_keeper.h - looks after the arena's list of processes: finds those that are over, and
 * gives their places, and the modules that nobody else has, to others. */
#pragma once

#include <stdbool.h>

#include "capture/rings/arena.h"
#include "capture/rings/tick_clock.h"

/* Whether this process has become another program by exec: its slots stay behind, under thread
 * ids that live on. */
bool process_is_superseded(struct arena *arena, uint32_t index);

/* Whether it has ended.  Never true of an entry that is free, or of a process whose number is
 * not known. */
bool process_is_over(struct arena *arena, uint32_t index);

/* The entry's process is over and all its events are read. */
void process_release(struct arena *arena, uint32_t index);

/* Whether any of the list but `besides` still runs.  Those whose number is not known, or who do
 * not have this arena, are not waited for. */
bool process_any_runs(struct arena *arena, uint32_t besides_pid);

/* Whether the entry has the number of a process that cannot be of those that are recorded: see
 * arena_users.h. */
bool process_is_stranger(struct arena *arena, uint32_t index);

/* When it began, on the recorder's clock, `now_ns` at most: a forked one when the kernel says,
 * others when our library did, which is at their start. */
uint64_t process_begin_ns(const struct arena *arena, uint32_t process,
                          const struct tick_clock *clock, uint64_t now_ns);
