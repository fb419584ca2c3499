/* place.h - whether a recording may take the place that a path names, without destroying anything of the user's. */
#pragma once

#include "base/fault.h"

/* 0 when there is nothing, an empty file, or a recording that nobody writes any more.  -EBUSY: another memoir writes it; -EEXIST: it is
 * another file; -EINVAL: it is a folder, a pipe or a device; each with a sentence. */
int place_check(const char *path, struct fault *fault);

/* The same, but removes another file. */
int place_clear(const char *path, struct fault *fault);
