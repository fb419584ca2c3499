/* process_root.h - where the files of a process are, by a path that holds when the process is
 * gone. */
#pragma once

#include <stdint.h>

/* A prefix for the paths that the process has: "" when it has our root, is gone, or may not be
 * looked at; else a folder that is kept open, one for each root, of PROCESS_ROOTS_MAX at most:
 * those beyond are "".  Lives as long as we do.  Any thread. */
#define PROCESS_ROOTS_MAX 256u
const char *process_root(uint32_t pid);
