/* inside_planner.h - answers processes that ask, through the arena, how to hook the allocators
 * they bring.
 *
 * A thread of its own: whoever asks is waiting before its first instruction. */
#pragma once

#include "capture/rings/arena.h"

struct inside_planner;

/* `wanted` is a prefix somebody named, or NULL; it must stay.  NULL when there is no memory or
 * no thread to be had.
 */
struct inside_planner *inside_planner_create(struct arena *arena, const char *wanted);
/* Files are opened from now on: whoever closes descriptors wholesale does so before. */
void inside_planner_begin(struct inside_planner *planner);
void inside_planner_destroy(struct inside_planner *planner);

struct inside_note {
    uint32_t serial;    /* of the process's entry in the arena */
    bool complaint;     /* something is not recorded */
    bool in_executable; /* it is about an allocator in the program itself */
    char text[320];     /* one sentence */
};
/* The next one about the process that was not handed out; waits while that process is being
 * answered.  false when there is none. */
bool inside_planner_next_note(struct inside_planner *planner, uint32_t serial,
                              struct inside_note *note);
