/* mapped_file.h - a file that a process runs and that is not to be found by its name any more:
 * deleted, or replaced. */
#pragma once

/* `root` is "/proc/PID/root", `path` as the process saw it.  A descriptor, or -ENOENT. */
int mapped_file_open(const char *root, const char *path);
