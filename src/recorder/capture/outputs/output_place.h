/* output_place.h - where the first recording of a run is written; claimed before the program
 * starts, until its file is made. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/fault.h"
#include "capture/sessions/recording_wish.h"

struct output_place {
    /* For recordings without a name of their own; "": the working directory. */
    char folder[PATH_MAX];
    bool is_new; /* No file was there before. */
    int claim;   /* Keeps others from writing there until the first recording does; -1: none. */
};

void output_place_init(struct output_place *place);
/* Checks whether a recording can be written there, and claims the place.  Returns 0, or -errno with
 * `fault`. */
int output_place_claim(struct output_place *place, const struct recording_wish *wish,
                       struct fault *fault);
/* Removes what output_place_claim left behind. */
void output_place_withdraw(struct output_place *place, const struct recording_wish *wish);
void output_place_release(struct output_place *place);
