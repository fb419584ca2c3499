/* place.h - checks that a recording can be written to a path without destroying a file of the
 * user. */
#pragma once

#include "base/fault.h"

/* Returns 0 if there is nothing, an empty file, or a recording that nobody writes.  -EBUSY: another
 * memoir writes it; -EEXIST: it is another file; -EINVAL: it is a folder, a pipe or a device; each
 * with a sentence. */
int place_check(const char *path, struct fault *fault);

/* Returns -EBUSY, with the sentence for it. */
int place_busy(const char *path, struct fault *fault);

/* Like place_check, and removes a file that may be replaced. */
int place_clear(const char *path, struct fault *fault);

/* Gives an older recording a tilde, under a name that was asked for: it is not to be taken for a
 * new one, and not to be lost either.  1; 0 when there is none; -errno when it keeps its name. */
int place_put_aside(const char *path);

/* Removes temporary copies of `path` (growing_file.h) that a killed recorder left behind. */
void place_tidy(const char *path);
