/* answer_file.h - where an answer goes: standard output, or a file of the user's. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/fault.h"

/* Forbids that an answer replaces this file: memoir reads the file. */
void answer_protect(const char *path);

/* Returns whether this is a protected file, by device and inode. */
bool answer_is_protected(const struct stat *about);

/* Checks whether an answer may replace the file `path`.  Returns 0, or -errno with `fault` if the
 * file is protected or is a recording. */
int answer_check_place(const char *path, struct fault *fault);

/* Opens the place of an answer.  `path` NULL or "-": standard output.  A new file is created
 * with mode 0600.  An existing file keeps its mode, and its content until the answer is
 * complete; a device or a pipe is written to directly.  Returns NULL with `fault` on failure,
 * also for a file that answer_check_place refuses. */
FILE *answer_open(const char *path, struct fault *fault);

/* Flushes and closes `file`; standard output stays open.  Returns 0, or -errno with `fault` for any
 * error since the open, such as a full disk.  A reader that went away (EPIPE) is no error. */
int answer_close(FILE *file, const char *path, struct fault *fault);
/* Drops the answer: the file that was there before stays. */
void answer_discard(FILE *file, const char *path);

/* Returns whether to use colour: only on a terminal that has colours, and not if `no_color` or
 * NO_COLOR is set. */
bool answer_wants_color(FILE *file, bool no_color);

/* Returns the columns of the terminal; 0 if `file` is no terminal: nothing is cut then. */
unsigned answer_width(FILE *file);
