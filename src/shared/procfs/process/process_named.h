/* process_named.h - what a process goes by. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether a process goes by `name`: the last part of its executable's path, of its first
 * argument, or the kernel's short name. */
bool process_is_named(uint32_t pid, const char *name);
