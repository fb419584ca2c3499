/* agent_privileges.h - checks the privileges that the agent needs to begin, and gives up all that
 * it does not need to serve. */
#pragma once

#include "base/fault.h"

/* Returns 0, or -EPERM with a sentence that names what is missing. */
int agent_check_privileges(struct fault *fault);

/* Raises the limit of descriptors: two per processor and sampling rate are more than 1024 on a
 * large machine. */
void agent_allow_descriptors(void);

/* Becomes `user` (NULL: stays the same user), keeps only CAP_BPF and CAP_PERFMON and cannot get any
 * other, cannot be traced by any process, and starts no process.  Returns 0 or -errno: then do not
 * go on. */
int agent_drop_privileges(const char *user, struct fault *fault);
