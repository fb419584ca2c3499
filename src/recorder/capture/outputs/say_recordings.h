/* say_recordings.h - the last message of a recorder: which files there are now, and how many
 * processes have none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/say.h"

#define RECORDINGS_NAMED 8u /* Named at the end, of many. */

struct recordings_said {
    /* Paths; NULL: a recording that is not whole, about which the person was told already. */
    char *const *named;
    uint32_t others; /* Number of recordings that are not of the program. */
    /* Where the recordings that are not named are; "": the working directory. */
    const char *folder;
    uint32_t silent; /* Number of processes that were followed and have no recording. */
    bool is_sampled;
};
void say_recordings(const struct recordings_said *said, say_fn say);
