/* input_path.h - the path behind FILE: itself, or that of a file of no name which has what came
 * through a pipe.
 *
 * "-" is standard input.  A pipe is read once, the first time that its name is given, and stays
 * until the program ends. */
#pragma once

#include "base/fault.h"

#define INPUT_PATH_MAX 64

/* `path`, or `room` filled with the path of what was kept; NULL with a sentence.  Waits until
 * the pipe is at its end. */
const char *input_path(const char *path, char room[INPUT_PATH_MAX], struct fault *fault);

/* Puts what is packed in `path` into a file of no name, and its path into `room`.  A descriptor
 * that keeps it there until the caller closes it, or -errno with a sentence. */
int input_unpack(const char *path, char room[INPUT_PATH_MAX], struct fault *fault);

/* Returns what FILE is called in sentences. */
const char *input_name(const char *path);

/* Calls `found` by its name where the sentence in `fault` has the path that it is read from. */
void input_path_rename(struct fault *fault, const char *found, const char *path);
