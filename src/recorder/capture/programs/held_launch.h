/* held_launch.h - starts a program without the tracer in two steps: its process exists first, and
 * executes the program later, when it is being watched. */
#pragma once

#include <sys/types.h>

#include "base/fault.h"

struct held_launch {
    pid_t pid;
    int go, report; /* Our ends of two pipes. */
};

/* Makes the process, which waits, with the state that launch_remember kept.  Returns 0, or -errno
 * with `fault`. */
int held_launch_begin(struct held_launch *held, char *const *command, struct fault *fault);
/* Lets the process execute the program.  Returns 0, or the errno of execve. */
int held_launch_go(struct held_launch *held);
/* To be called after both, or after held_launch_begin alone: then the process exits. */
void held_launch_end(struct held_launch *held);
