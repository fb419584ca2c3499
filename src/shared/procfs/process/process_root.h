/* process_root.h - where the files of a process are: a path that stays valid when the process is
 * gone. */
#pragma once

#include <stdint.h>

/* Returns a prefix for the paths of a process: "" if it has our root, is gone, or may not be looked
 * at; else a folder that is kept open.  There is one folder for each root, at most
 * PROCESS_ROOTS_MAX; for further roots, returns "".  The prefix lives as long as this process.  Any
 * thread may call this. */
#define PROCESS_ROOTS_MAX 256u
const char *process_root(uint32_t pid);
