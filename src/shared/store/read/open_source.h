/* open_source.h - inside `store`: opens a file that may be a recording for reading. */
#pragma once

#include "base/fault.h"
#include "store/read/source.h"

/* Opens regular files only.  Returns 0, or -errno with a sentence. */
int open_source(const char *path, struct source *source, struct fault *fault);
