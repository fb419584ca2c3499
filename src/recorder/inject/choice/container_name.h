/* container_name.h - which processes belong to a container, from what the kernel says about
 * them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether one line of /proc/PID/cgroup is of the container, given its name or at least 4 digits
 * of its id; or, given a path (anything with a slash), whether the process is in that cgroup or
 * below it. */
bool cgroup_line_names(const char *line, const char *container);

/* Whether the process is in it: by its cgroups, or by the host name of its UTS namespace when
 * that is not ours. */
bool container_holds(const char *container, uint32_t pid);

/* The id that the files of Docker or Podman on this machine give to a container's name.  false
 * when there is none. */
bool container_id(const char *name, char id[65]);
