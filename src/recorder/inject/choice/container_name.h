/* container_name.h - which processes belong to a container, by what the kernel says about them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether one line of /proc/PID/cgroup belongs to the container, given its name or at least
 * 4 digits of its ID; or, given a path (anything with a slash), whether the process is in that
 * cgroup or below it. */
bool cgroup_line_names(const char *line, const char *container);

/* Returns whether the process is in the container: by its cgroups, or by the host name of its UTS
 * namespace if that is not ours. */
bool container_holds(const char *container, uint32_t pid);

/* Finds the ID that the files of Docker or Podman on this machine have for a container's name.
 * Returns false if there is none. */
bool container_id(const char *name, char id[65]);
