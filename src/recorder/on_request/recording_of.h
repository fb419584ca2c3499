/* recording_of.h - a recording of one process in memory, for an answer and not for a file. */
#pragma once

#include "base/fault.h"
#include "model/recording.h"

/* Describes the process in it.  Returns NULL when out of memory. */
struct recording *recording_of_process(uint32_t pid);

/* Names all its frames.  A frame without a name is shown by its address. */
void recording_name_all(struct recording *recording);
