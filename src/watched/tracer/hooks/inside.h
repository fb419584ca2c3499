/* inside.h - hooks the functions of an allocator that is part of the program, which never calls a
 * malloc of ours.
 *
 * Each function gets a jump at its beginning to a cell near it (inside_cell.h), and from there to
 * inside_enter (ARCHITECTURE/inside_enter.S), which calls the hook in C.  The instructions that the
 * jump covers run in the cell.  The recorder says what to do (wire/inside.h). */
#pragma once

/* Offsets that inside_enter.S uses; checked in inside_hooks.c. */
#define INSIDE_THREAD_BUSY       24
#define INSIDE_THREAD_BUSY_FRAME 40
#define INSIDE_ENTRY_HOOK        0
#define INSIDE_ENTRY_ORIGINAL    8

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/inside.h"

/* What a function returns in the two result registers. */
struct inside_result {
    uint64_t value, second;
};

struct inside_entry {
    struct inside_result (*hook)(const uint64_t *arguments, const struct inside_entry *entry,
                                 void *frame);
    struct inside_result (*original)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    size_t (*usable)(const void *block, int flags); /* May be NULL. */
    struct inside_shape shape;
    uint8_t usable_rule;
    uint64_t address, cell;
};

/* Sets entry->hook for its shape; NULL if there is no hook for it. */
void inside_choose_hook(struct inside_entry *entry);

/* The target of all jumps, with the entry in a register (inside_way_make). */
void inside_enter(void);

/* Asks the recorder for a plan and carries it out; waits a second at most.  `jump`: makes the
 * jumps, too, which is only allowed while no other thread runs.  Else the recorder, which has
 * stopped all threads, makes the jumps. */
void inside_start(bool jump);

/* The jumps that are ready.  The recorder finds them by this name, when it has stopped all
 * threads. */
extern struct inside_jumps memoir_tracer_jumps;
#endif
