/* agent_files.h - which files the agent may still see once it serves: those of /proc, to read them,
 * and the folder of its socket, to take the socket away.  By Landlock, where the kernel has it. */
#pragma once

#include "base/fault.h"

/* No file but those below `proc`, to read them; in `folder` it may remove files.  0, also where
 * there is no Landlock; or -errno. */
int agent_limit_files(const char *proc, const char *folder, struct fault *fault);
