/* outside_watch.h - the interface of a watch that observes processes from outside: their pages, or
 * their time. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "capture/sessions/cell_source.h"

struct outside_state {
    bool has_ended, has_execed; /* has_execed: since the last call. */
};

struct outside_watch {
    void *self;
    const struct cell_source *cells; /* What the watch finds. */
    /* Starts to watch a process.  `is_whole`: the process has done nothing yet, except what an exec
     * will throw away.  Returns 0, or -errno with `fault`. */
    int (*watch)(void *self, uint32_t pid, bool is_whole, struct fault *fault);
    /* Returns false if `pid` is not watched. */
    bool (*state)(void *self, uint32_t pid, struct outside_state *state);
    /* Returns a child of a watched process that is watched, too, and was not returned before; 0 if
     * there is none. */
    uint32_t (*next_child)(void *self);
};
