/* answer_file.h - where an answer goes: standard output, or a file of the user's. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/fault.h"

/* Forbids that an answer replaces this file: memoir reads the file. */
void answer_protect(const char *path);

/* Whether this is one of those files, by device and inode. */
bool answer_is_protected(const struct stat *about);

/* Fails if an answer must not replace the file `path`: the file is protected, or is a recording. */
int answer_check_place(const char *path, struct fault *fault);

/* Opens the place of an answer.  `path` NULL or "-": standard output.  A new file is created
 * with mode 0600.  An existing file keeps its mode, and its content until the answer is
 * complete; a device or a pipe is written to directly.  Returns NULL with `fault` on failure,
 * also for a file that answer_check_place refuses. */
FILE *answer_open(const char *path, struct fault *fault);

/* Flushes and closes (standard output stays open).  An error anywhere since the open, such as a
 * full disk, is found here.  A reader that went away (EPIPE) is no error. */
int answer_close(FILE *file, const char *path, struct fault *fault);
/* Drops an answer: the file that was there before stays. */
void answer_discard(FILE *file, const char *path);

/* Colour only on a terminal that has it, and neither when `no_color` nor when NO_COLOR is set. */
bool answer_wants_color(FILE *file, bool no_color);

/* Columns of the terminal; 0 when `file` is none, which means: do not cut. */
unsigned answer_width(FILE *file);
