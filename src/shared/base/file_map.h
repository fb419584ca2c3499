/* file_map.h - maps a file that its owner may truncate while we read the mapping.
 *
 * Reading a mapping behind the end of its file kills the reader by SIGBUS, and the owner of the
 * file can choose the time.  A signal handler here replaces the missing part of such a mapping by
 * zeroes and remembers that it did.  Any thread may call these functions.  Only for our own
 * programs, never in the watched program: they own SIGBUS. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Maps the first `size` bytes of `fd`: private, readable and writable.  Returns NULL and sets errno
 * on failure. */
void *file_map(int fd, size_t size);
void file_unmap(void *map, size_t size);

/* Returns true if a part of the mapping was missing in the file when it was read. */
bool file_map_was_cut(const void *map);
