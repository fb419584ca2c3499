/* watch_permission.h - whether a process is the user's own, with a sentence when it is not.
 * Whether the user may see into it the kernel decides: the user proves it with an open
 * /proc/PID/mem (peer.c), and the BPF programs look again at each event.
 *
 * Stricter than the kernel: a process with any capability, or of another user, is root's alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

/* The number of the process that `pidfd` stands for, as the /proc mounted at `proc` counts.  0
 * when it is gone or cannot be seen there. */
uint32_t pidfd_number(const char *proc, int pidfd);

/* 0; -EPERM, -ESRCH or -EINVAL with one sentence. */
int watch_permission(const char *proc, uint32_t pid, uid_t user, gid_t group, struct fault *fault);

/* Whether a user may know addresses inside the kernel: root, and everybody where the kernel lets
 * everybody sample it (kernel.perf_event_paranoid of 1 or less).  Capabilities of others are not
 * asked: those that a peer has now are not those it connected with. */
bool may_know_kernel(const char *proc, uid_t user);

/* The part that only reads text: of /proc/PID/status. */
int watch_permission_judge(const char *status, uid_t user, gid_t group, struct fault *fault);
