/* limit_hint.h - a hint about a process that could not get more memory. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Writes "; its address space is limited to 48.8 MiB (ulimit -v): ..." if it is limited, else
 * "". */
void limit_hint(pid_t pid, char *text, size_t size);
#define LIMIT_HINT_MAX 200
