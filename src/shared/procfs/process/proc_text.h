/* proc_text.h - reads files of /proc, which report no size and may come in pieces. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Reads a file, at most `max` bytes, as NUL-terminated text.  Returns 0, and the caller frees
 * *text; or -errno. */
int proc_text_read(const char *path, size_t max, char **text);
/* Like proc_text_read, from an open descriptor. */
int proc_text_read_fd(int fd, size_t max, char **text);
/* Reads the first bytes, at most size - 1, NUL-terminated, and closes `fd`, which may also be the
 * -errno of its opening.  Returns their number; or -errno, with "". */
ssize_t proc_text_read_start(int fd, char *text, size_t size);
