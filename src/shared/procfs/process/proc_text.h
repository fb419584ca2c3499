/* proc_text.h - files of /proc, which have no size and may come in pieces. */
#pragma once

#include <stddef.h>

/* The whole file, NUL-terminated, at most `max` bytes of it.  0 with *text the caller's to free, or
 * -errno. */
int proc_text_read(const char *path, size_t max, char **text);
/* What comes from a descriptor that is open. */
int proc_text_read_fd(int fd, size_t max, char **text);
