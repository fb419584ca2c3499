/* foreign_file.h - the only way to open a file that is named by others: a process that we watch, a
 * recording, an ELF file that names its debug file.
 *
 * The side that names a file chooses its type and place, and may change both at any moment.  So the
 * path is resolved inside a root that we hold open, to a descriptor that cannot be read yet
 * (O_PATH).  What was found must be a regular file, of bounded size, in a file system that stores
 * files; only then that same file is opened for reading, by its descriptor.  A device, FIFO, socket
 * or folder is never opened, nor a file of /proc, /sys and similar file systems, where reading has
 * effects.  Nothing here waits, except for a file system that does not answer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

/* AT_FDCWD: our own root; relative paths begin in the working directory. */
#define FOREIGN_OWN_ROOT    (-100)
#define FOREIGN_ELF_MAX     ((uint64_t)16 << 30) /* The largest ELF file that is opened. */
#define FOREIGN_PROGRAM_MAX INT64_MAX /* For files of which only the beginning is read. */

struct foreign_limits {
    uint64_t bytes_max; /* A larger file is not opened. */
    bool refuses_link;  /* The last part of the path must not be a symbolic link. */
};

/* Opens `path` as seen by a process whose root folder is `root` (a descriptor; O_PATH is enough):
 * symbolic links and ".."  stay inside, links of /proc are not followed.  Returns a descriptor to
 * read from, close-on-exec; or -errno with a sentence in `fault`: -EACCES if it is not such a file,
 * -EFBIG if it is too large. */
int foreign_file_open(int root, const char *path, const struct foreign_limits *limits,
                      struct fault *fault);

/* Like foreign_file_open, with a root given by a prefix that we made ourselves, "/proc/PID/root" or
 * "/proc/self/fd/N"; "" is our own root. */
int foreign_file_open_below(const char *root, const char *path, const struct foreign_limits *limits,
                            struct fault *fault);

/* Like foreign_file_open, by the links that the kernel keeps: to the program of a process, and to
 * the file of one of its mappings, which takes privileges.  Both also lead to files that have no
 * name any more. */
int foreign_program_open(uint32_t pid, const struct foreign_limits *limits, struct fault *fault);
int foreign_mapping_open(uint32_t pid, uint64_t start, uint64_t end,
                         const struct foreign_limits *limits, struct fault *fault);
