/* invoked_path.h - the path by which a program was started: redis-server, and not redis-check-rdb,
 * to which redis-server is a symbolic link.
 *
 * A path counts only if it leads to the executable itself; else the result is the executable's own
 * path. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Finds the path for a running process; "" if it is gone or may not be looked at. */
void process_invoked_path(uint32_t pid, char *path, size_t size);

/* Finds the path for the executable `program`, started as `word` (its first argument, or what the
 * program made of that) in the file system of process `pid`; 0: of this process. */
void program_invoked_path(const char *program, const char *word, uint32_t pid, char *path,
                          size_t size);

/* Finds the path for the file `path` started as `word` now, in the file system of this process, and
 * keeps it: for a process that may not look when it asks later. */
void program_invoked_remember(const char *path, const char *word);
