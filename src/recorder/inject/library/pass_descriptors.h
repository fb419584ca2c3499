/* pass_descriptors.h - gives a process copies of our descriptors, through a borrowed thread of it.  No path is
 * needed, so namespaces do not matter. */
#pragma once

#include "inject/threads/borrowed_thread.h"

#define PASSED_MAX 4

struct passing {
    int count;
    int given[PASSED_MAX]; /* ours */
    int got[PASSED_MAX];   /* theirs, close-on-exec */
};

/* 0 with `got`, or -errno with `fault`.  Whatever the thread has got by then it closes itself, should we be gone. */
int pass_descriptors(struct borrowed_thread *borrowed, int pidfd, struct passing *passing,
                     struct fault *fault);

/* Closes them there, also those that came before something failed. */
void close_passed(struct borrowed_thread *borrowed, const struct passing *passing);
