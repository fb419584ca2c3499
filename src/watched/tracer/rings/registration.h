/* registration.h - enters this process and its threads in the arena, under the numbers by which
 * the recorder knows them.  In another pid namespace those are not the process's own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The arena was mapped through this path, below the recorder's /proc, and it is this file.  An
 * empty path: the recorder handed it over, when it attached. */
void registration_start_up(const char *path, const struct stat *arena);

/* The pid of this process as the recorder sees it; 0 when that cannot be told. */
uint32_t registration_pid(void);

/* A place in the arena's list of processes.  false when it is full: the recorder will tell. */
bool register_process(bool forked);

/* The number of the calling thread, as the recorder sees it if that can be told, for one of
 * number `tid`. */
uint32_t registration_tid(uint32_t tid);
