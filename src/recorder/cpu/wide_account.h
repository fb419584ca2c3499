/* wide_account.h - how much processor time the whole machine, or a cgroup, has used so far, by
 * the kernel's own account. */
#pragma once

#include <stdint.h>

/* `cgroup`: a folder of a cgroup, of version 2 or of a tree of version 1, or NULL for the
 * machine.  In nanoseconds; 0 when the kernel does not tell. */
uint64_t wide_account_ns(const char *cgroup);
