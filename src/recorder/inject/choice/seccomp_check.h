/* seccomp_check.h - whether a process's filters allow the system calls that loading and tracing
 * need.  Asked before anything is done: a call that is not allowed may kill. */
#pragma once

#include <sys/types.h>

#include "base/fault.h"

/* Reads the filters of each thread (stopped for that moment) and tries them out here.  0; or
 * with `fault` -EPERM when they forbid something, -EACCES when only root may read them. */
int seccomp_check(pid_t pid, struct fault *fault);

/* What the filters of a thread that the caller has stopped forbid of what it takes to make a file
 * and remove it again; NULL: nothing. */
const char *seccomp_forbids_files(pid_t tid);
