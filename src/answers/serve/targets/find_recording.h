/* find_recording.h - the recording that is being made of a process. */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "base/fault.h"

struct found_recording {
    int fd; /* the file itself; -1: none */
    /* Opens it while `fd` is open: the file's own name where nobody else can put another file under
     * that, and else one under /proc. */
    char path[PATH_MAX];
};

/* Looks at the files that recorders of ours and of root's have open, as far as the user may see
 * them; others are not believed (procfs/process/own_program.h).  Returns 0 or -ENOENT when the
 * process is not recorded; call found_recording_close in both cases. */
int find_recording(uint32_t pid, struct found_recording *found, struct fault *fault);
void found_recording_close(struct found_recording *found);
