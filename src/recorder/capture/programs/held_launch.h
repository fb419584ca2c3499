/* held_launch.h - starts a program as it is, in two steps: its process is there, and becomes the
 * program when somebody watches it. */
#pragma once

#include <sys/types.h>

#include "base/fault.h"

struct held_launch {
    pid_t pid;
    int go, report; /* our ends of two pipes */
};

/* The process waits.  It has what launch_remember remembers.  0 or -errno with `fault`. */
int held_launch_begin(struct held_launch *held, char *const *command, struct fault *fault);
/* Lets it become the program.  0, or the errno of execve. */
int held_launch_go(struct held_launch *held);
/* After either, or instead of the second: then it exits. */
void held_launch_end(struct held_launch *held);
