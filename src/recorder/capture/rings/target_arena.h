/* target_arena.h - the arena that a process has mapped, seen from outside: who records it, and a
 * word to that recorder.
 *
 * The arena is the only thing that the two have in common whatever namespaces they live in; so
 * whoever may look into the process finds its recorder by it, and asks it to end by setting a
 * word in it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum recorder_state {
    RECORDER_NONE,  /* the process has no arena */
    RECORDER_LIVES, /* its recorder holds the lock in it */
    RECORDER_DEAD   /* nobody does */
};

struct target_arena {
    uint64_t address;
    uint32_t recorder_pid; /* 0: what the process says is not so, or cannot be seen from here */
    bool is_attached;      /* the process ran before it */
};

enum recorder_state target_arena_find(pid_t pid, struct target_arena *arena);

/* Asks the recorder to leave the process alone.  0 or -errno. */
int target_arena_ask_to_end(pid_t pid, const struct target_arena *arena);
