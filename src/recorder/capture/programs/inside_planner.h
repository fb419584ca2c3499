/* inside_planner.h - answers processes that ask, through the arena, how to hook the allocators in
 * their files.
 *
 * The planner has a thread of its own, because an asking process waits before its first
 * instruction. */
#pragma once

#include "capture/rings/arena.h"

struct inside_planner;

/* `wanted` is a prefix that the person named, or NULL; it must outlive the planner.  Returns NULL
 * if there is no memory or no thread. */
struct inside_planner *inside_planner_create(struct arena *arena, const char *wanted);
/* From now on, the planner opens files: a caller that closes all descriptors must do so before. */
void inside_planner_begin(struct inside_planner *planner);
void inside_planner_destroy(struct inside_planner *planner);

struct inside_note {
    uint32_t serial;    /* Of the process's entry in the arena. */
    bool complaint;     /* Something is not recorded. */
    bool in_executable; /* It is about an allocator in the program itself. */
    char text[320];     /* One sentence. */
};
/* Returns the next note about the process, each once; waits while that process is being answered.
 * Returns false if there is none. */
bool inside_planner_next_note(struct inside_planner *planner, uint32_t serial,
                              struct inside_note *note);
