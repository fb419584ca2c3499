/* confine_hooks.h - hooks prctl and syscall, because a program may forbid itself system calls
 * (seccomp) or the clock that we read.
 *
 * If the tracer made a forbidden call, the program would end.  So before the program confines
 * itself, its filter is evaluated for every call that the tracer may make.  If it forbids a call
 * that the tracer cannot do without, tracing ends.  If it only forbids what a new process needs,
 * children and programs that this one executes are not recorded. */
#pragma once

#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Returns whether a call that a new process or program needs is forbidden. */
bool tracer_is_confined(void);
