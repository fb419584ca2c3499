/* pass_descriptors.h - passes copies of our descriptors to a process, through a borrowed thread of
 * it.  Needs no path, so namespaces do not matter. */
#pragma once

#include "inject/threads/borrowed_thread.h"

#define PASSED_MAX 4

struct passing {
    int count;
    int given[PASSED_MAX]; /* Ours. */
    int got[PASSED_MAX];   /* Theirs, close-on-exec. */
};

/* Returns 0 with `got`, or -errno with `fault`.  If we die meanwhile, the thread itself closes what
 * it has got. */
int pass_descriptors(struct borrowed_thread *borrowed, int pidfd, struct passing *passing,
                     struct fault *fault);

/* Passing uses the first cells of the borrowed thread, so many bytes; the others are free. */
#define PASSED_CELLS_BYTES 512u

/* Fills in the `count` steps by which the thread closes what was passed. */
void passed_closing(const struct borrowed_thread *borrowed, const struct passing *passing,
                    struct borrowed_step *steps);

/* Closes the descriptors there, also those that were passed before a failure. */
void close_passed(struct borrowed_thread *borrowed, const struct passing *passing);
