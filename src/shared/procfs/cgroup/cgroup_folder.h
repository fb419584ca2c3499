/* cgroup_folder.h - where the cgroup that a person names lies.
 *
 * Version 2 has one tree of cgroups, version 1 one for each controller, and both may be mounted
 * side by side, anywhere.  `mounts` is a file like /proc/self/mounts; NULL: that one. */
#pragma once

#include <stddef.h>

#define CGROUP_FOLDER_MAX 4096

/* The folder of `name`: a path, or what lies below any mount, as /proc/PID/cgroup has it.  Of
 * several it is the one by which the kernel can pick out processor time, then version 2, then
 * the order of mounts.  0 or -ENOENT. */
int cgroup_folder_find(const char *mounts, const char *name, char out[CGROUP_FOLDER_MAX]);

/* The cgroup of that name in the tree of a controller of version 1 ("cpuacct"), or of
 * version 2 if that controller is mounted nowhere else.  Trees may differ: only one that holds
 * the processes of `folder`, of which there must be some.  `folder` itself when it is in that
 * tree.  0 or -ENOENT. */
int cgroup_folder_beside(const char *mounts, const char *folder, const char *controller,
                         char out[CGROUP_FOLDER_MAX]);
