/* agent_calls.h - the system calls that the agent makes once it serves, as a seccomp filter.  By
 * hand: libseccomp would be one more library in the one program with privileges, for a table that
 * fits on a page and can be read and tested as it is.
 *
 * Every other call fails with EPERM, and a call for another kind of machine ends the agent. */
#pragma once

#include <linux/filter.h>
#include <stddef.h>

#include "base/fault.h"

/* The filter, for tests too; *count is how many instructions it has. */
const struct sock_filter *agent_call_filter(size_t *count);

/* From here on, only those.  0 or -errno. */
int agent_limit_calls(struct fault *fault);
