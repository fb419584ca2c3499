/* target_state.h - how it is with a target, without its numbers: what /api/events compares from
 * one look to the next. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* All that a target is known by; what differs from the last time is news. */
struct target_state {
    uint64_t time_ns;
    uint64_t version; /* of a run: grows with it */
    uint64_t start_unix_ns;
    uint32_t pid;
    uint32_t parts; /* metrics that have something in them; of a run, targets besides */
    uint32_t last_mark;
    bool is_there, is_written, runs;
    const struct recording *recording; /* until the next call; NULL: none, or a run */
};
