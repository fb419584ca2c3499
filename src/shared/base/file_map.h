/* file_map.h - the bytes of a file that somebody else may cut short while we read them.
 *
 * Reading a mapping behind the end of its file ends a program by SIGBUS, and whoever owns the file chooses when.  Here
 * the rest of such a mapping becomes zeroes instead, and the map remembers it.  Any thread; only for our own programs: SIGBUS
 * is theirs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The first `size` bytes of `fd`, private, readable and writable.  NULL: see errno. */
void *file_map(int fd, size_t size);
void file_unmap(void *map, size_t size);

/* Whether some of it was not there when it was read. */
bool file_map_was_cut(const void *map);
