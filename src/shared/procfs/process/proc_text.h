/* proc_text.h - reads files of /proc, which report no size and may come in pieces. */
#pragma once

#include <stddef.h>

/* Reads a file, at most `max` bytes, as NUL-terminated text.  Returns 0, and the caller frees
 * *text; or -errno. */
int proc_text_read(const char *path, size_t max, char **text);
/* Like proc_text_read, from an open descriptor. */
int proc_text_read_fd(int fd, size_t max, char **text);
