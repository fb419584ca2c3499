/* look_outside.h - who has the resident pages of a process that nobody records: by mapping, thread and file. */
#pragma once

#include "base/fault.h"
#include "model/recording.h"

#define LOOK_OUTSIDE_SOURCE "memoir explain" /* of such a recording */

/* A recording of one instant, which explain_make can explain; nothing is done to the process.  NULL with *err and `fault`. */
struct recording *look_outside(uint32_t pid, int *err, struct fault *fault);
