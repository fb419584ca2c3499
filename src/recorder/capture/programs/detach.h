/* detach.h - ends the recording of a process from outside. */
#pragma once

#include <sys/types.h>

#include "base/fault.h"

/* Asks the recorder of the process to end, and waits until it has left the process; if the recorder
 * is dead, takes out our hooks itself.  `library` is the path of libmemoir.so.  Returns 0; -ENOENT
 * if the process is not recorded; or another -errno, with a sentence. */
int target_detach(pid_t pid, const char *library, struct fault *fault);
