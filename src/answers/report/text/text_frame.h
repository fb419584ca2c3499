/* text_frame.h - writes name and source line of a function: "parse (parse.c:3)". */
#pragma once

#include "analyze/trees/call_tree.h"
#include "report/text/text_style.h"

#define TEXT_NO_STACK "[no stack]"

/* Writes the name and the place in at most `columns`.  The place is file and line if known;
 * otherwise the module, unless the name contains it. */
void text_frame_write(const struct text_style *style, FILE *out, const struct recording *recording,
                      const struct shown_frame *frame, size_t columns);

/* Returns whether this is code that calls main and thread entries: it explains nothing below a call
 * site. */
bool text_frame_is_startup(const char *function);

const char *text_path_end(const char *path); /* returns the last part of a path */
