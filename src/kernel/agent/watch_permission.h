/* watch_permission.h - whether a user may see into a process: the kernel's own rule for ptrace, asked on behalf of
 * somebody else.
 *
 * Stricter than the kernel where it cannot be asked: a process with any capability is root's alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

/* The number of the process that `pidfd` stands for, as the /proc mounted at `proc` counts.  0 when it is gone or
 * cannot be seen there. */
uint32_t pidfd_number(const char *proc, int pidfd);

/* 0; -EPERM, -ESRCH or -EINVAL with one sentence. */
int watch_permission(const char *proc, uint32_t pid, uid_t user, gid_t group, struct fault *fault);

/* Whether a user may know addresses inside the kernel: root, and everybody where the kernel lets everybody sample it
 * (kernel.perf_event_paranoid of 1 or less).  Capabilities of others are not asked: those that a peer has now are not those it
 * connected with. */
bool may_know_kernel(const char *proc, uid_t user);

/* The part that only reads text: of /proc/PID/status.  `owner` is whose /proc/PID is: root's when the process protects
 * itself. */
int watch_permission_judge(const char *status, uid_t owner, uid_t user, gid_t group,
                           struct fault *fault);
