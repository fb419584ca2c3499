/* agent_files.h - the files that the agent may still use once it serves: those of /proc, for
 * reading, and the folder of its socket, to remove the socket.  Uses Landlock, if the kernel has
 * it. */
#pragma once

#include "base/fault.h"

/* From now on, only files below `proc` can be read, and files in `folder` can be removed.  Returns
 * 0, also if there is no Landlock; or -errno. */
int agent_limit_files(const char *proc, const char *folder, struct fault *fault);
