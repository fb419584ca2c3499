/* wide_account.h - how much CPU time the whole machine, or a cgroup, has used so far, by the
 * kernel's own account. */
#pragma once

#include <stdint.h>

/* `cgroup`: the folder of a cgroup, of version 2 or of a tree of version 1; NULL: the machine.
 * Returns ns; 0 if the kernel does not tell. */
uint64_t wide_account_ns(const char *cgroup);
