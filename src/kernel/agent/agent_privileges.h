/* agent_privileges.h - what the agent needs to begin, and all but what it needs to serve given up.
 */
#pragma once

#include "base/fault.h"

/* 0, or -EPERM with a sentence that names what is missing. */
int agent_check_privileges(struct fault *fault);

/* Two descriptors per processor and sampling rate are more than 1024 on a large machine. */
void agent_allow_descriptors(void);

/* Becomes `user` (NULL: stays who it is), keeps CAP_BPF and CAP_PERFMON and no way to any other,
 * can be traced by nobody and starts no process.  0 or -errno: then do not go on. */
int agent_drop_privileges(const char *user, struct fault *fault);
