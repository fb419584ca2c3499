/* process_keeper.h - looks after the arena's list of processes: finds processes that have ended,
 * and frees their entries, and the modules that no other process has. */
#pragma once

#include <stdbool.h>

#include "capture/rings/arena.h"
#include "capture/rings/tick_clock.h"

/* Returns the entry of the program that this process has become next, by exec; PROCESS_NONE: of
 * none. */
uint32_t process_next_image(struct arena *arena, uint32_t index);
/* Returns whether there is one.  Then the slots of this process stay behind, under thread IDs that
 * still live. */
bool process_is_superseded(struct arena *arena, uint32_t index);

/* Returns whether the process has ended.  Always false for a free entry, and for a process whose
 * PID is unknown. */
bool process_is_over(struct arena *arena, uint32_t index);

/* Frees the entry of a process that has ended, when all its events are read. */
void process_release(struct arena *arena, uint32_t index);

/* Returns whether any listed process except `besides_pid` still runs.  Ignores processes whose PID
 * is unknown, and those without this arena (arena_users_has). */
bool process_any_runs(struct arena *arena, uint32_t besides_pid);

/* Returns whether the entry has the PID of a process that cannot be one of the recorded ones: see
 * arena_users_is_stranger. */
bool process_is_stranger(struct arena *arena, uint32_t index);

/* Returns when the process began, on the recorder's clock, `now_ns` at most.  For a forked process,
 * the kernel says when; for others, our library does, which starts with the program. */
uint64_t process_begin_ns(const struct arena *arena, uint32_t process,
                          const struct tick_clock *clock, uint64_t now_ns);
