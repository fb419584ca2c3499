/* place.h - whether a recording may take the place that a path names, without destroying
 * anything of the user's. */
#pragma once

#include "base/fault.h"

/* 0 when there is nothing, an empty file, or a recording that is no longer written.  -EBUSY:
 * another memoir writes it; -EEXIST: it is another file; -EINVAL: it is a folder, a pipe or a
 * device; each with a sentence. */
int place_check(const char *path, struct fault *fault);

/* -EBUSY, with that sentence. */
int place_busy(const char *path, struct fault *fault);

/* Like place_check, but removes a file that may be replaced. */
int place_clear(const char *path, struct fault *fault);

/* An older recording under a name that was asked for is not to be taken for a new one, and not to
 * be lost either: it gets a tilde.  1; 0 when there is none; -errno when it keeps its name. */
int place_put_aside(const char *path);

/* Removes copies of `path` under way (growing_file.h) that a killed recorder left behind: they
 * would only take room. */
void place_tidy(const char *path);
