/* recording_wish.h - what a person may wish of any recording, from inside or outside the
 * program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/say.h"

struct recording_wish {
    const char *output; /* Of the first process; NULL: PROGRAM.PID.memoir. */
    uint64_t max_bytes;
    uint64_t for_ns; /* Stop recording after this time; 0: never. */
    bool quiet;
    /* Tells the person what happens: everything, or if `quiet` only what went wrong.  NULL: nobody
     * is told. */
    say_fn say;
    bool force; /* Replace whatever file has the name of the first output. */
    /* Called with the PID of the first process before a recorder gives up its rights: what takes
     * rights is done here.  May be NULL. */
    void (*prepare)(void *context, bool quiet, uint32_t pid);
    /* Called with the PID of the first process once it is recorded.  May be NULL. */
    void (*began)(void *context, bool quiet, uint32_t pid);
    void *context; /* For `prepare` and `began`. */
};

/* Returns whether the program has been recorded for as long as was wished. */
static inline bool recording_wish_is_met(const struct recording_wish *wish, uint64_t recorded_ns)
{
    return wish->for_ns && recorded_ns >= wish->for_ns;
}
