/* target_state.h - the state of a target without its numbers, which /api/events compares from one
 * look to the next. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* A state of a target.  Any difference from the last state is news. */
struct target_state {
    uint64_t time_ns;
    uint64_t version; /* for a run: grows when the run grows */
    uint64_t start_unix_ns;
    uint32_t pid;
    uint32_t parts; /* number of metrics with any value; for a run, also of targets */
    uint32_t last_mark;
    bool is_there, is_written, runs;
    const struct recording *recording; /* valid until the next call; NULL: none, or a run */
};
