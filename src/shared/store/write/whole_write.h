/* whole_write.h - inside `store`: writes pieces of a file completely or not at all, and keeps a
 * little room on the disk reserved, so that a recording can still say that the disk was full. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Writes at `offset`, the current end of the file.  *reserved is the end of the reserved room, 0 at
 * first; NULL for the last words, which may use that room.  Returns 0 or -errno. */
int whole_write(int fd, const void *data, size_t size, uint64_t offset, uint64_t *reserved);
