/* find_recording.h - finds the recording that a recorder makes of a process. */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "base/fault.h"

struct found_recording {
    int fd; /* the open file; -1: none */
    /* A path of the file while `fd` is open: its real path if nobody else can put another file
     * there, otherwise a path under /proc. */
    char path[PATH_MAX];
};

/* Searches the files that recorders of our user and of root have open, as far as the user may see
 * them; other processes are not trusted (procfs/process/own_program.h).  Returns 0; or -ENOENT if
 * the process is not recorded.  Call found_recording_close in both cases. */
int find_recording(uint32_t pid, struct found_recording *found, struct fault *fault);
void found_recording_close(struct found_recording *found);
