/* find_recording.h - the recording that is being made of a process. */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "base/fault.h"

/* Looks at the files that recorders have open, as far as the user may see them.  0 with the
 * path: the file's own, or one under /proc when that cannot be reached, as in another container.
 * -ENOENT when the process is not recorded. */
int find_recording(uint32_t pid, char path[PATH_MAX], struct fault *fault);
