/* pass_descriptors.h - gives a process copies of our descriptors, through a borrowed thread of
 * it.  No path is needed, so namespaces do not matter. */
#pragma once

#include "inject/threads/borrowed_thread.h"

#define PASSED_MAX 4

struct passing {
    int count;
    int given[PASSED_MAX]; /* ours */
    int got[PASSED_MAX];   /* theirs, close-on-exec */
};

/* 0 with `got`, or -errno with `fault`.  Whatever the thread has got by then it closes itself,
 * should we be gone. */
int pass_descriptors(struct borrowed_thread *borrowed, int pidfd, struct passing *passing,
                     struct fault *fault);

/* The cells of the borrowed thread that this takes, from the first on; others are free. */
#define PASSED_CELLS_BYTES 512u

/* The `count` steps by which the thread closes what it was passed. */
void passed_closing(const struct borrowed_thread *borrowed, const struct passing *passing,
                    struct borrowed_step *steps);

/* Closes them there, also those that came before something failed. */
void close_passed(struct borrowed_thread *borrowed, const struct passing *passing);
