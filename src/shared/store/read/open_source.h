/* open_source.h - inside `store`: a file that may be a recording, opened for reading. */
#pragma once

#include "base/fault.h"
#include "store/read/source.h"

/* 0, or -errno with a sentence: nothing but a regular file is opened. */
int open_source(const char *path, struct source *source, struct fault *fault);
