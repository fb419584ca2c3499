/* target_check.h - whether a running process can be recorded, found out without touching it. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

/* 0; or -errno with a sentence that says what stands in the way and what to do: -ESRCH there is
 * none (any more), -EINVAL it is no program, -EBUSY somebody traces or records it, -EPERM no
 * permission, -ENOEXEC the wrong kind of program.  Only its seccomp filters, if it has some, are
 * read with its threads stopped for that moment. */
int target_check(pid_t pid, struct fault *fault);

/* How many threads may have a ring at the same time: those it has, and what its cgroup has room
 * for when they become more. */
uint32_t target_slots(pid_t pid);

/* What people call it: "redis-server (pid 4242)". */
void target_describe(pid_t pid, char *text, size_t size);
