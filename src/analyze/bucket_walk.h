/* bucket_walk.h - every bucket of a stretch of time, one after the other, in bounded memory.
 *
 * A long recording does not fit in memory as cells.  Buckets that came from the file stay loaded
 * while they are few, so that a report can walk them again for nothing; beyond that each is let go
 * before the next one is read. */
#pragma once

#include "analyze/weigh.h"

struct bucket_visitor {
    void (*visit)(void *into, const struct bucket *bucket); /* cells are loaded */
    void *into;
};

/* Snaps *range outward to bucket boundaries and visits the buckets in it.
 * 0; -ERANGE with a sentence when the recording has nothing in that range; or what loading gave. */
int bucket_walk(struct recording *recording, struct time_range *range,
                struct bucket_visitor visitor, struct fault *fault);
