/* outside_watch.h - somebody who watches processes from outside, for those who record them:
 * pages, time. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "capture/sessions/cell_source.h"

struct outside_state {
    bool has_ended, has_execed; /* the latter since it was last asked */
};

struct outside_watch {
    void *self;
    const struct cell_source *cells; /* what it finds */
    /* `is_whole`: nothing of it is older than this call but what an exec will throw away.  0 or
     * -errno with `fault`. */
    int (*watch)(void *self, uint32_t pid, bool is_whole, struct fault *fault);
    /* false when `pid` is not watched. */
    bool (*state)(void *self, uint32_t pid, struct outside_state *state);
    /* A child of a watched process that is watched too, and of which nobody was told yet; 0:
     * none. */
    uint32_t (*next_child)(void *self);
};
