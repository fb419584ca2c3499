/* pass_descriptors.h - gives a process copies of our descriptors, through a borrowed thread of it.  No path is
 * needed, so namespaces do not matter. */
#pragma once

#include "inject/borrowed_thread.h"

#define PASSED_MAX 4

/* `given` are ours, `got` become theirs (close-on-exec).  0 or -errno with `fault`. */
int pass_descriptors(struct borrowed_thread *borrowed, int pidfd, const int *given, int *got,
                     int count, struct fault *fault);

/* Closes them there. */
void close_passed(struct borrowed_thread *borrowed, const int *got, int count);
