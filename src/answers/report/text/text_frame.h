/* text_frame.h - the name and the place of a function on one line: "parse (parse.c:3)". */
#pragma once

#include "analyze/trees/call_tree.h"
#include "report/text/text_style.h"

#define TEXT_NO_STACK "[no stack]"

/* Writes name and place into at most `columns`: the file and line when known, else the module
 * unless the name has it already. */
void text_frame_write(const struct text_style *style, FILE *out, const struct recording *recording,
                      const struct shown_frame *frame, size_t columns);

/* Returns true for the code that calls main and thread entries: it explains nothing under a call
 * site. */
bool text_frame_is_startup(const char *function);

const char *text_path_end(const char *path); /* its last part */
