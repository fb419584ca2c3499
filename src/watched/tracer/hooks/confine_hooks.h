/* confine_hooks.h - programs that forbid themselves system calls (seccomp) or the clock that we
 * read: prctl and syscall.
 *
 * A call of ours that is forbidden would end the program.  So before it confines itself its
 * filter is asked about every call that we may make.  Tracing ends when one of those is
 * forbidden that it cannot be without; when only what a new process needs is, then children and
 * programs that it becomes go unrecorded. */
#pragma once

#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Whether what a new process or program needs is forbidden. */
bool tracer_is_confined(void);
