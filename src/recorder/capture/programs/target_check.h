/* target_check.h - checks whether a running process can be recorded, without touching it. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

/* Returns 0; or -errno with a sentence that says what is in the way and what to do: -ESRCH there is
 * no such process (any more), -EINVAL it is not a program, -EBUSY it is traced or recorded, -EPERM
 * no permission, -ENOEXEC the wrong kind of program.  Its threads are stopped only for the moment
 * in which its seccomp filters, if any, are read. */
int target_check(pid_t pid, struct fault *fault);

/* Returns how many threads may have a ring at the same time: the threads that it has, and those for
 * which its cgroup has room. */
uint32_t target_slots(pid_t pid);

/* Writes its name for people: "redis-server (pid 4242)". */
void target_describe(pid_t pid, char *text, size_t size);
