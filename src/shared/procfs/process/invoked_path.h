/* invoked_path.h - the path by which a program was started: redis-server, and not
 * redis-check-rdb, to which that is a link.
 *
 * A path counts only when it leads to the very executable; else the executable's own is what
 * there is. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Of a process that runs; "" when it is gone or may not be looked at. */
void process_invoked_path(uint32_t pid, char *path, size_t size);

/* Of the executable `program`, started as `word` (its first argument, or what it made of that)
 * where process `pid` is; 0: here. */
void program_invoked_path(const char *program, const char *word, uint32_t pid, char *path,
                          size_t size);

/* Looks now, here, for the file `path` started as `word`: for a process that may not look there
 * when it asks later. */
void program_invoked_remember(const char *path, const char *word);
