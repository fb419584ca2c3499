/* mapped_file.h - opens a file that a process runs and that can no longer be found by its name,
 * because it was deleted or replaced. */
#pragma once

/* `root` is "/proc/PID/root", `path` as the process saw it.  Returns a descriptor, or -ENOENT. */
int mapped_file_open(const char *root, const char *path);
