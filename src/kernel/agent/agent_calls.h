/* agent_calls.h - a seccomp filter of the system calls that the agent makes once it serves.
 * Written by hand: libseccomp would be one more library in the only program with privileges, for a
 * table that fits on a page and can be read and tested as it is.
 *
 * Every other call fails with EPERM, and a call of another architecture ends the agent. */
#pragma once

#include <linux/filter.h>
#include <stddef.h>

#include "base/fault.h"

/* Returns the filter, for tests too; *count is its number of instructions. */
const struct sock_filter *agent_call_filter(size_t *count);

/* From now on, allows only these calls.  Returns 0 or -errno. */
int agent_limit_calls(struct fault *fault);
