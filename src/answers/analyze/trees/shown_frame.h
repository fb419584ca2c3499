/* shown_frame.h - inside `analyze`: one recorded frame as the one or more lines people read.
 *
 * stack_show (call_tree.h) and call_tree_build both stand on this: it alone expands inlining, makes
 * up names for unknown addresses and knows which frames are the allocator's own. */
#pragma once

#include "analyze/trees/call_tree.h"

/* Writes the lines of frame number `index`, innermost first; returns how many it has, 0 only for a
 * frame that is not there.  At most `max` are written. */
size_t frame_show(struct recording *recording, uint32_t index, struct shown_frame *out, size_t max);

/* True for malloc, operator new and their kind: at the inner end of a stack they say nothing. */
bool shown_frame_is_allocator(const struct recording *recording, const struct shown_frame *frame);

/* "/usr/lib/libc.so.6" to "libc.so.6". */
const char *path_basename(const char *path);
/* What a whole module is called where modules stand for functions. */
string_id module_show(struct recording *recording, string_id module);
