/* load_library.h - makes another process load a library that we hold in memory. */
#pragma once

#include "inject/threads/borrowed_thread.h"

/* `fd` is the library here, `remote_fd` the same there.  Loads it by /proc/self/fd where the process has /proc, else
 * from a file that is there for that moment only.  0 or -errno with `fault`. */
int load_library(const struct target_modules *modules, struct borrowed_thread *borrowed, int fd,
                 int remote_fd, struct fault *fault);
