/* input_path.h - the path to open for a FILE argument: FILE itself, or the path of a file without a
 * name, which has a copy of what came through a pipe.
 *
 * "-" is standard input.  A pipe is read when its name is first given; the copy exists until the
 * program ends. */
#pragma once

#include "base/fault.h"

#define INPUT_PATH_MAX 64

/* Returns `path`; or `room`, with the path of the copy; or NULL with a sentence.  Waits until the
 * pipe ends. */
const char *input_path(const char *path, char room[INPUT_PATH_MAX], struct fault *fault);

/* Unpacks `path` to a file without a name, and writes the path of that file to `room`.  Returns a
 * descriptor, which the caller closes when the file is not needed any more; or -errno with a
 * sentence. */
int input_unpack(const char *path, char room[INPUT_PATH_MAX], struct fault *fault);

/* Returns the name of FILE for sentences. */
const char *input_name(const char *path);

/* Replaces `path`, from which the file was read, in the sentence of `fault` by the name of
 * `found`. */
void input_path_rename(struct fault *fault, const char *found, const char *path);
