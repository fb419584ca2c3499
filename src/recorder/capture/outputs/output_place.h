/* output_place.h - where the first recording of a run goes: looked after from before the program
 * starts until its file is made. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/fault.h"
#include "capture/sessions/recording_wish.h"

struct output_place {
    char folder[PATH_MAX]; /* of recordings that have no name of their own; "": this one */
    bool is_new;           /* nothing was there before us */
    int claim; /* keeps others from writing it until the first recording does; -1: none */
};

void output_place_init(struct output_place *place);
/* Finds out whether a recording can be written there, and claims it.  0 or -errno with `fault`. */
int output_place_claim(struct output_place *place, const struct recording_wish *wish,
                       struct fault *fault);
/* Takes back what that left behind. */
void output_place_withdraw(struct output_place *place, const struct recording_wish *wish);
void output_place_release(struct output_place *place);
