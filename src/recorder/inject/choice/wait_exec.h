/* wait_exec.h - waits until any process executes a program of a given name.
 *
 * The kernel reports every exec if we may listen (root, outside of PID namespaces); else /proc is
 * searched every few milliseconds. */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "base/fault.h"

/* Returns 0 with *pid; -EINTR when *stop became nonzero. */
int wait_exec(const char *name, const volatile sig_atomic_t *stop, pid_t *pid, struct fault *fault);
