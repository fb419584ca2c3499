/* process_named.h - the names of a process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns whether `name` is a name of the process: the last part of its executable's path or of its
 * first argument, or the kernel's short name. */
bool process_is_named(uint32_t pid, const char *name);
