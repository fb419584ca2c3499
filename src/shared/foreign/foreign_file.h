/* foreign_file.h - the one way to open a file that somebody else names: a process that we watch, a
 * recording, an ELF file that names its debug file.
 *
 * Who names a file chooses what it is and where it lies, and may change both at any moment.  So the
 * path is resolved inside a root that we hold open, to something that cannot be read yet (O_PATH);
 * what was found must be a regular file of a file system that keeps files, of a bounded size; and
 * only then that same file is opened for reading, by its descriptor.  A device, FIFO, socket or
 * folder is never opened, nor a file of /proc, /sys and their like, where reading does things.
 * Nothing here waits for anybody, but for a file system that does not answer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

#define FOREIGN_OWN_ROOT    (-100) /* AT_FDCWD: our root, and relative paths from here */
#define FOREIGN_ELF_MAX     ((uint64_t)16 << 30) /* the largest ELF file that is looked at */
#define FOREIGN_PROGRAM_MAX INT64_MAX            /* of a file of which only the beginning is read */

struct foreign_limits {
    uint64_t bytes_max; /* a larger file is not opened */
    bool refuses_link;  /* the last part of the path must not be a symbolic link */
};

/* Opens `path` as a process sees it whose root folder is `root` (a descriptor, O_PATH is enough):
 * symbolic links and ".." stay inside, links of /proc are not followed.  A descriptor to read from,
 * close-on-exec; or -errno with a sentence in `fault`: -EACCES for what is no such file, -EFBIG
 * for one that is too large. */
int foreign_file_open(int root, const char *path, const struct foreign_limits *limits,
                      struct fault *fault);

/* The same where the root is known by a prefix that we made ourselves, "/proc/PID/root" or
 * "/proc/self/fd/N"; "" is our own root. */
int foreign_file_open_below(const char *root, const char *path, const struct foreign_limits *limits,
                            struct fault *fault);

/* The same by the links that the kernel keeps: to the program of a process, and to the file of one
 * of its mappings, which takes privileges.  Both also lead to files that have no name any more. */
int foreign_program_open(uint32_t pid, const struct foreign_limits *limits, struct fault *fault);
int foreign_mapping_open(uint32_t pid, uint64_t start, uint64_t end,
                         const struct foreign_limits *limits, struct fault *fault);
