/* seccomp_check.h - checks whether a process's seccomp filters allow the system calls that loading
 * and tracing need.  To be called before anything is done, because a forbidden call may kill the
 * process. */
#pragma once

#include <sys/types.h>

#include "base/fault.h"

/* Reads the filters of each thread (which is stopped for that moment) and evaluates them here.
 * Returns 0; or, with `fault`, -EPERM if they forbid something, -EACCES if only root may read
 * them. */
int seccomp_check(pid_t pid, struct fault *fault);

/* Returns which of the calls that create and remove a file are forbidden by the filters of a
 * thread, which the caller has stopped; NULL: none. */
const char *seccomp_forbids_files(pid_t tid);
