/* say_recordings.h - the last words of a recorder: which files there are now, and of whom there
 * is none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/say.h"

#define RECORDINGS_NAMED 8u /* at the end, of many */

struct recordings_said {
    char *const *named; /* paths; NULL: of a recording that is not whole, which was told already */
    uint32_t others;    /* recordings besides that of the program */
    const char *folder; /* where those are that are not named; "": this one */
    uint32_t silent;    /* processes that were followed and have no recording */
    bool is_sampled;
};
void say_recordings(const struct recordings_said *said, say_fn say);
