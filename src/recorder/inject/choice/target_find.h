/* target_find.h - finds the process that the person means: by name, by container, or the next one
 * that is started. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

/* Finds the only process that is in `container` (NULL: anywhere) and has the name `name` (NULL:
 * any).  Returns 0 with *pid; -ENOENT if there is none; -ENOTUNIQ if there are several, and the
 * sentence lists them.
 *
 * A container is known by its ID or name in the cgroup path of its processes, in the forms of
 * Docker, Podman, Kubernetes, LXC and systemd; or by the host name of its UTS namespace.  No
 * container daemon is asked.  Without a name, finds the container's first process; if that is only
 * an init or a shell, the only process that it has started. */
int target_find(const char *container, const char *name, pid_t *pid, struct fault *fault);
