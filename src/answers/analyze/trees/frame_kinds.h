/* frame_kinds.h - inside `analyze`: the distinct lines of all frames of a recording, and which
 * of them belong to the same function, line or module.  Names are compared here, so that trees
 * compare only numbers. */
#pragma once

#include "analyze/trees/call_tree.h"
#include "base/pair_index.h"

struct frame_line {
    struct shown_frame shown;
    uint32_t kinds[TREE_MERGES]; /* Indexed by enum tree_merge; equal for lines that merge. */
    int8_t is_allocator;         /* 1, 0, or -1: not determined yet. */
    /* 1, 0, or -1: the line is in a standard container or in the C or C++ library, so its caller
     * says more. */
    int8_t is_plumbing;
};

struct frame_kinds {
    VEC(struct frame_line) lines;
    VEC(uint32_t) places; /* The lines of all frames, one frame after the other, innermost first. */
    VEC(uint32_t) ends;   /* For frame f: the index in `places` behind its last line. */
    VEC(struct frame) frames;    /* Copies of the frames when they were read. */
    VEC(string_id) module_paths; /* Copies of the modules' paths when they were read. */
    /* Each index uses numbers of the ones before. */
    struct pair_index modules, functions, spots, line_kinds, whole_lines;
};

/* Adds the frames that are new in the recording.  Returns 0; -ENOMEM (also for more lines than
 * any program has); or -ESTALE when a known frame has changed: call frame_kinds_fini and start
 * again. */
int frame_kinds_extend(struct frame_kinds *kinds, struct recording *recording);
void frame_kinds_fini(struct frame_kinds *kinds);

/* Number of kinds with this way to merge. */
uint32_t frame_kinds_count(const struct frame_kinds *kinds, enum tree_merge merge);

/* The lines of a frame, innermost first; no lines for a frame that does not exist.  Borrowed. */
struct frame_lines {
    const uint32_t *items;
    uint32_t count;
};
struct frame_lines frame_kinds_lines(const struct frame_kinds *kinds, uint32_t frame);

bool frame_kinds_is_allocator(struct frame_kinds *kinds, const struct recording *recording,
                              uint32_t line);

/* Skips the allocator's own lines at the inner end: returns the innermost visible part of the
 * stack; *hidden is set to the number of allocator lines of its innermost frame.  A stack that
 * has only allocator lines is returned whole. */
stack_id frame_kinds_skip(struct frame_kinds *kinds, const struct recording *recording,
                          stack_id stack, uint32_t *hidden);
