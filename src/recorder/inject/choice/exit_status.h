/* exit_status.h - how a process ended that is not our child. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Whether it has ended; by a descriptor of pidfd_open. */
bool process_has_ended(int pidfd);

/* Its status as waitpid gives it.  -1 when nobody tells: before Linux 6.15 it is known only
 * until its parent asks. */
int process_exit_status(int pidfd, pid_t pid);
