/* whole_write.h - inside `store`: pieces of a file that are written whole or not at all, with
 * room left on the disk for a few words after them: on a disk that is full, a recording can
 * still say that it was. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Writes at `offset`, where the file ends so far.  `*reserved`: up to where the disk has room
 * for it already, 0 at first; NULL for the last words, which may use that room.  0 or -errno. */
int whole_write(int fd, const void *data, size_t size, uint64_t offset, uint64_t *reserved);
