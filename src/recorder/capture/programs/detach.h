/* detach.h - ends the recording of a process from outside. */
#pragma once

#include <sys/types.h>

#include "base/fault.h"

/* Asks its recorder, and waits until that has let go; or, when the recorder is dead, takes our
 * hooks out itself.  `library` is the path of libmemoir.so.  0, -ENOENT when nobody records it,
 * or -errno, with a sentence. */
int target_detach(pid_t pid, const char *library, struct fault *fault);
