/* cgroup_folder.h - finds the folder of a cgroup by name.
 *
 * Version 2 has one tree of cgroups, version 1 one tree per controller; both may be mounted at the
 * same time, anywhere.  `mounts` is a file like /proc/self/mounts; NULL means /proc/self/mounts. */
#pragma once

#include <stddef.h>

#define CGROUP_FOLDER_MAX 4096

/* Finds the folder of `name`, which is a path, or a path below a mount as in /proc/PID/cgroup.  Of
 * several folders, prefers the one by which perf events can select a cgroup, then version 2, then
 * the first in `mounts`.  Returns 0 or -ENOENT. */
int cgroup_folder_find(const char *mounts, const char *name, char out[CGROUP_FOLDER_MAX]);

/* Finds the cgroup of the same name in the tree of a version 1 controller ("cpuacct"), or in
 * version 2 if that controller has no tree of its own; `folder` itself if it is in that tree.
 * Trees may differ, so the cgroup must have the processes of `folder`, and at least one.  Returns
 * 0 or -ENOENT. */
int cgroup_folder_beside(const char *mounts, const char *folder, const char *controller,
                         char out[CGROUP_FOLDER_MAX]);
