/* target_arena.h - the arena that a process has mapped, seen from outside: finds the recorder of
 * the process, and sends it a request.
 *
 * The arena is all that a process and its recorder share, whatever namespaces they are in.  So a
 * process that may read the memory of the recorded one finds the recorder by the arena, and asks it
 * to end by setting a word in the arena. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum recorder_state {
    RECORDER_NONE,  /* The process has no arena. */
    RECORDER_LIVES, /* Its recorder holds the lock in the arena. */
    RECORDER_DEAD   /* No process holds the lock. */
};

struct target_arena {
    uint64_t address;
    uint32_t recorder_pid; /* 0: what the process says is wrong, or cannot be checked from here. */
    bool is_attached;      /* The process ran before its recording began. */
};

enum recorder_state target_arena_find(pid_t pid, struct target_arena *arena);

/* Asks the recorder to leave the process.  Returns 0 or -errno. */
int target_arena_ask_to_end(pid_t pid, const struct target_arena *arena);
