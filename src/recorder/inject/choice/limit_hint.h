/* limit_hint.h - what to say about a process that could not have more memory. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* "; its address space is limited to 48.8 MiB (ulimit -v): ..." if it is, else "". */
void limit_hint(pid_t pid, char *text, size_t size);
#define LIMIT_HINT_MAX 200
