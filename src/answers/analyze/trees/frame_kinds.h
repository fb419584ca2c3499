/* frame_kinds.h - inside `analyze`: the lines of all frames of a recording, each different one once, and which of them are the same
 * function, line or module.  Names are compared here, so that a tree of them need not. */
#pragma once

#include "analyze/trees/call_tree.h"
#include "base/pair_index.h"

struct frame_line {
    struct shown_frame shown;
    uint32_t kinds[TREE_MERGES]; /* equal for lines that are one, by enum tree_merge */
    int8_t is_allocator;         /* -1: nobody has asked yet; likewise ... */
    int8_t
        is_plumbing; /* ... of a container or the C or C++ library, of which callers are the news */
};

struct frame_kinds {
    VEC(struct frame_line) lines;
    VEC(uint32_t) places; /* the lines of every frame, innermost first ... */
    VEC(uint32_t) ends;   /* ... those of frame f end here, and begin where those of f - 1 end */
    VEC(struct frame) frames;    /* as they were when they were read */
    VEC(string_id) module_paths; /* likewise */
    struct pair_index modules, functions, spots, line_kinds,
        whole_lines; /* by each other's numbers */
};

/* Takes in frames that the recording has got since.  0, -ENOMEM (also for more lines than any program has), or -ESTALE when one that is known has got another name: begin anew,
 * after frame_kinds_fini. */
int frame_kinds_extend(struct frame_kinds *kinds, struct recording *recording);
void frame_kinds_fini(struct frame_kinds *kinds);

/* How many kinds there are of lines that are one by `merge`. */
uint32_t frame_kinds_count(const struct frame_kinds *kinds, enum tree_merge merge);

/* The lines of a frame, innermost first; none for a frame that is not there. */
struct frame_lines {
    const uint32_t *items;
    uint32_t count;
};
struct frame_lines frame_kinds_lines(const struct frame_kinds *kinds, uint32_t frame);

bool frame_kinds_is_allocator(struct frame_kinds *kinds, const struct recording *recording,
                              uint32_t line);

/* Where the visible part of a stack begins: its innermost link, and how many of that link's lines are the allocator's own.  A stack of
 * nothing else is shown whole. */
stack_id frame_kinds_skip(struct frame_kinds *kinds, const struct recording *recording,
                          stack_id stack, uint32_t *hidden);
