/* next_image.h - whether a program that is about to be started can have our library with it.
 *
 * Another libc's loader fails on it, a sanitizer's runtime refuses to be second, and a loader
 * for 32 bits complains on the program's stderr.  Async-signal-safe, leaves errno alone. */
#pragma once

#include <stdbool.h>

/* What cannot be read is taken for one that can.  `fd` is looked at when `path` is NULL. */
bool next_image_is_foreign(const char *path, int fd);
/* Like next_image_is_foreign, for a name that execvp looks for. */
bool next_image_named_is_foreign(const char *name);
