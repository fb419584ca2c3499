/* look_outside.h - who has the resident pages of a process that nobody records: by mapping,
 * thread and file. */
#pragma once

#include "base/fault.h"
#include "capture/books/area_list.h"
#include "model/recording.h"

#define LOOK_OUTSIDE_SOURCE "memoir explain" /* of such a recording */

/* What its runtime has, by address; its names live as long. */
struct known_areas {
    VEC(struct known_area) items;
};

/* A recording of one instant, which explain_make can explain; nothing is done to the process.
 * NULL with *err and `fault`. */
struct recording *look_outside(uint32_t pid, const struct known_areas *known, int *err,
                               struct fault *fault);
