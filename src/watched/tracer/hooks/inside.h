/* inside.h - hooks in the functions of an allocator that is part of the program, where a malloc
 * of ours is never called.
 *
 * Each function gets a jump at its beginning, to a cell near it (inside_cell.h), from there to
 * inside_enter (ARCHITECTURE/inside_enter.S), which calls the hook in C.  What the jump covers runs
 * in the cell.  What to do comes from the recorder (wire/inside.h). */
#pragma once

/* Where inside_enter.S finds things.  Checked in inside_hooks.c. */
#define INSIDE_THREAD_BUSY       24
#define INSIDE_THREAD_BUSY_FRAME 40
#define INSIDE_ENTRY_HOOK        0
#define INSIDE_ENTRY_ORIGINAL    8

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/inside.h"

/* What a function leaves in the two registers of results. */
struct inside_result {
    uint64_t value, second;
};

struct inside_entry {
    struct inside_result (*hook)(const uint64_t *arguments, const struct inside_entry *entry,
                                 void *frame);
    struct inside_result (*original)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    size_t (*usable)(const void *block, int flags); /* or NULL */
    struct inside_shape shape;
    uint8_t usable_rule;
    uint64_t address, cell;
};

/* Sets entry->hook by its shape.  NULL when there is no such. */
void inside_choose_hook(struct inside_entry *entry);

/* Where all jumps lead, with the entry in a register (inside_way_make). */
void inside_enter(void);

/* Asks the recorder what to do and does it; at most a second is waited for.  `jump`: makes the
 * jumps too, which is right only while no other thread runs; else the recorder, which has stopped
 * all of them, makes them, as the plan in the arena says. */
void inside_start(bool jump);

/* What is ready; found by its name, and for the recorder, which has stopped all threads. */
extern struct inside_jumps memoir_tracer_jumps;
#endif
