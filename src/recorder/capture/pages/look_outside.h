/* look_outside.h - who owns the resident pages of a process that is not recorded: by mapping,
 * thread and file. */
#pragma once

#include "base/fault.h"
#include "capture/books/area_list.h"
#include "model/recording.h"

#define LOOK_OUTSIDE_SOURCE "memoir explain" /* Source of such a recording. */

/* What its runtime has, by address.  Owns the names. */
struct known_areas {
    VEC(struct known_area) items;
};

/* Makes a recording of one instant, which explain_make can explain.  Does nothing to the process.
 * Returns NULL with *err and `fault` on failure. */
struct recording *look_outside(uint32_t pid, const struct known_areas *known, int *err,
                               struct fault *fault);
