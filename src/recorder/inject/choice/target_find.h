/* target_find.h - which process is meant: by name, by container, or the next one that is
 * started. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

/* The only process that is in `container` (NULL: anywhere) and goes by `name` (NULL: any).  0
 * with *pid; -ENOENT when there is none, -ENOTUNIQ when there are several: the sentence lists
 * them.
 *
 * A container is known by its id or name in the cgroup path of its processes, in the forms of
 * Docker, Podman, Kubernetes, LXC and systemd; or by the host name of its UTS namespace.
 * Nobody's daemon is asked.  Without a name it is the container's first process, or, where that
 * is a mere init or shell, the only one which that has started. */
int target_find(const char *container, const char *name, pid_t *pid, struct fault *fault);
