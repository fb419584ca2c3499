/* watch_permission.h - whether a process is the user's own, with a sentence if it is not.  Whether
 * the user may see into it, the kernel decides: the user proves it with an open /proc/PID/mem
 * (peer.c), and the BPF programs check again at each event.
 *
 * Stricter than the kernel: a process with any capability, or of another user, is for root only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

/* Returns the PID of the process of `pidfd`, as in the /proc mounted at `proc`; 0 if it is gone or
 * not visible there. */
uint32_t pidfd_number(const char *proc, int pidfd);

/* Returns 0; or -EPERM, -ESRCH or -EINVAL with one sentence. */
int watch_permission(const char *proc, uint32_t pid, uid_t user, gid_t group, struct fault *fault);

/* Returns whether a user may know addresses inside the kernel: root, and every user if the kernel
 * lets every user sample it (kernel.perf_event_paranoid of 1 or less).  Capabilities of other users
 * do not count: those that a peer has now may differ from those with which it connected. */
bool may_know_kernel(const char *proc, uid_t user);

/* The part that only reads text: that of /proc/PID/status. */
int watch_permission_judge(const char *status, uid_t user, gid_t group, struct fault *fault);
