/* cell_source.h - somebody besides the tracer who finds out what a process does, from outside: pages, time.
 *
 * The recording asks when it closes a bucket; whatever was found since the last time becomes cells of it. */
#pragma once

#include "model/recording.h"

struct cell_source {
    void *self;
    /* Adds cells to `bucket`, by stacks of `recording`, and what is to be said of their quality.  0 or -ENOMEM. */
    int (*take)(void *self, uint32_t pid, struct recording *recording, struct bucket *bucket);
    /* Has it found out now what can be, for the next bucket.  NULL: there is no such thing. */
    void (*look)(void *self, uint32_t pid);
    /* `recording` is gone; another one of the same process may ask. */
    void (*forget)(void *self, uint32_t pid);
};
