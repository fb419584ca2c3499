/* plausible.h - whether a recording can be all of a program's heap, and if not, what passed it
 * by.
 *
 * Works from what the recorder recognised (recording->traits) and from numbers that cannot go
 * together: resident memory without blocks, allocations without frees. */
#pragma once

#include "model/recording.h"

enum doubt_kind {
    /* `trait` keeps memory of its own, which is not in the recording or not block by block */
    DOUBT_RUNTIME,
    DOUBT_NOTHING, /* not one allocation was seen, and nothing known explains that */
    /* much more memory is resident than was allocated, and nothing known explains that */
    DOUBT_MEMORY,
    DOUBT_NO_FREES, /* many allocations, hardly a free */
    DOUBT_OFF,      /* the heap was not traced for a while */
    DOUBT_KINDS
};

struct doubt {
    enum doubt_kind kind;
    const struct trait *trait; /* of DOUBT_RUNTIME, in the recording; else NULL */
};

#define DOUBTS_MAX (TRAITS_MAX + DOUBT_KINDS)
struct plausibility {
    struct doubt doubts[DOUBTS_MAX]; /* the gravest first */
    size_t count;
    bool lacks_memory; /* far less heap than anonymous resident memory */
};

void plausible_check(const struct recording *recording, struct plausibility *found);
