/* answer_file.h - where an answer goes: standard output, or a file of the user's. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/fault.h"

/* The answer must not take the place of this file: it is what is read. */
void answer_protect(const char *path);

/* `path` NULL or "-": standard output.  A new file is created 0600; one that is there keeps its mode, and what it holds until the
 * answer is complete.  A device or a pipe is written to as it is.  NULL with `fault` on failure. */
FILE *answer_open(const char *path, struct fault *fault);

/* Flushes and closes (standard output stays open).  An error anywhere since the open, such as a
 * full disk, is found here.  A reader that went away (EPIPE) is no error. */
int answer_close(FILE *file, const char *path, struct fault *fault);
/* Closes an answer that nobody needs: what was there before stays. */
void answer_discard(FILE *file, const char *path);

/* Colour only on a terminal that has it, and neither when `no_color` nor when NO_COLOR is set. */
bool answer_wants_color(FILE *file, bool no_color);

/* Columns of the terminal; 0 when `file` is none, which means: do not cut. */
unsigned answer_width(FILE *file);
