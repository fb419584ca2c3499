/* registration.h - enters this process and its threads in the arena, with the PID and TIDs that the
 * recorder sees.  In another PID namespace these differ from the process's own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* `path`: where the arena was mapped from, below the recorder's /proc; `arena` is that file.  An
 * empty path: the recorder passed the arena when it attached. */
void registration_start_up(const char *path, const struct stat *arena);

/* Returns the PID of this process as the recorder sees it; 0 if unknown. */
uint32_t registration_pid(void);

/* Takes an entry in the arena's list of processes.  Returns false if the list is full: the recorder
 * reports that. */
bool register_process(bool forked);

/* Returns the TID of the calling thread, which is `tid` to itself, as the recorder sees it if
 * known. */
uint32_t registration_tid(uint32_t tid);
