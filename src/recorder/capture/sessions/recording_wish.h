/* recording_wish.h - what everybody who records may wish, from inside or outside the program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/say.h"

struct recording_wish {
    const char *output; /* of the first; NULL: PROGRAM.PID.memoir */
    uint64_t max_bytes;
    uint64_t for_ns; /* stop recording after; 0: never */
    bool quiet;
    /* Who tells the person what happens: everything, or only what went wrong when it is quiet.
     * NULL: nobody does. */
    say_fn say;
    bool force; /* whatever file is in the way of the first goes */
    /* Called with the number of the first process once there is one.  NULL: nobody asks. */
    void (*began)(void *context, bool quiet, uint32_t pid);
    void *context; /* for `began` */
};

/* Whether it has been recorded for as long as was wished. */
static inline bool recording_wish_is_met(const struct recording_wish *wish, uint64_t recorded_ns)
{
    return wish->for_ns && recorded_ns >= wish->for_ns;
}
