/* cell_source.h - a source besides the tracer that finds out from outside what a process does: its
 * pages, its time.
 *
 * The recording asks when it closes a bucket; what the source has found since the last time becomes
 * cells of the bucket. */
#pragma once

#include "model/recording.h"

struct found_cells {
    VEC(struct cell) items;
};

/* Finds who touched a page first. */
struct touchers {
    const void *book;
    /* Returns a number that only `carry` below knows. */
    uint32_t (*find)(const void *book, uint64_t address);
};
typedef int (*touchers_fn)(void *context, const struct touchers *touchers);

struct cell_source {
    void *self;
    /* Adds cells to `bucket`, which began at `began_ns` on the monotonic clock, by stacks of
     * `recording`, and what is to be said of their quality.  0 or -ENOMEM. */
    int (*collect)(void *self, uint32_t pid, struct recording *recording, struct bucket *bucket,
                   uint64_t began_ns);
    /* Has it found out now what can be, for the next bucket.  NULL: there is no such thing. */
    void (*look)(void *self, uint32_t pid);
    /* Calls `call` while what is known about the pages of `pid` stands still, and returns what
     * that returns; -EAGAIN: not now; -ESRCH: nothing is known.  NULL: likewise. */
    int (*with_touchers)(void *self, uint32_t pid, touchers_fn call, void *context);
    /* Adds cells to `bucket` whose keys are numbers of touchers.  0, -ESRCH: they are forgotten;
     * -ENOMEM. */
    int (*carry)(void *self, uint32_t pid, struct recording *recording, struct found_cells *cells,
                 struct bucket *bucket);
    /* Before the last bucket of `recording`: finds out what can still be, and says what is to be
     * said of its quality. */
    void (*conclude)(void *self, uint32_t pid, struct recording *recording);
    /* `recording` is gone; another one of the same process may ask. */
    void (*forget)(void *self, uint32_t pid);
};
