/* shown_frame.h - inside `analyze`: one recorded frame as the one or more lines that are
 * displayed.
 *
 * stack_show (call_tree.h) and call_tree_build both use this: only this file expands inlining,
 * makes names for unknown addresses and knows which frames are the allocator's own. */
#pragma once

#include "analyze/trees/call_tree.h"

/* Writes the lines of frame number `index`, innermost first, at most `max`.  Returns how many lines
 * the frame has; 0 only for a frame that does not exist. */
size_t frame_show(struct recording *recording, uint32_t index, struct shown_frame *out, size_t max);

/* True for malloc, operator new and similar functions, which are hidden at the inner end. */
bool shown_frame_is_allocator(const struct recording *recording, const struct shown_frame *frame);

/* The last part of a path: "libc.so.6" of "/usr/lib/libc.so.6". */
const char *path_basename(const char *path);
/* Display name of a module where modules stand in place of functions. */
string_id module_show(struct recording *recording, string_id module);
