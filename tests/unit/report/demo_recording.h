/* demo_recording.h - recordings of a made-up node, any size, always the same for the same shape:
 * for the tests of pictures and for looking at them. */
#pragma once

#include "model/recording.h"

struct demo_shape {
    unsigned stacks;     /* distinct call stacks, at least 1 */
    unsigned buckets;    /* at least 1 */
    uint64_t bucket_ns;  /* 0: a recording of no duration */
    bool has_losses;     /* two stretches with lost events */
    bool dies;           /* ends with a death pin */
    bool has_wild_names; /* names full of markup, script, bad UTF-8, control characters */
};

struct recording *demo_create(const struct demo_shape *shape); /* aborts when out of memory */

/* Names that must never become markup or script. */
extern const char *const wild_names[];
extern const size_t wild_name_count;
