/* exit_status.h - how a process ended that is not a child of ours. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Returns whether the process has ended; `pidfd` is from pidfd_open. */
bool process_has_ended(int pidfd);

/* Returns the status as waitpid gives it; -1 if unknown: before Linux 6.15 the kernel tells it only
 * until the parent asks. */
int process_exit_status(int pidfd, pid_t pid);
