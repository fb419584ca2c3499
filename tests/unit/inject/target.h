/* target.h - real processes for tests that reach into them. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Starts a program and waits until it has written a line.  The caller ends it with target_end. */
pid_t target_start(char *const arguments[]);
/* The subject that notices everything. */
pid_t target_start_watchful(void);
/* Ends that in order: 0, as waitpid gives it, if it noticed nothing wrong. */
int target_finish(pid_t pid);
/* Kills it. */
void target_end(pid_t pid);

/* How many mappings, descriptors and threads it has, and its address space in KiB; once that has
 * settled. */
struct target_size {
    size_t maps, descriptors, threads, kib;
};
struct target_size target_measure(pid_t pid);
