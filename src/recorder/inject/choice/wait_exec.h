/* wait_exec.h - waits until a program of some name is started, by whomever.
 *
 * The kernel tells of every exec where we may listen (root, outside of pid namespaces);
 * elsewhere /proc is looked through every few milliseconds. */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "base/fault.h"

/* 0 with *pid; -EINTR when *stop became nonzero. */
int wait_exec(const char *name, const volatile sig_atomic_t *stop, pid_t *pid, struct fault *fault);
