/* heap_rate.h - the argument of --heap: full, off, sample or sample=BYTES. */
#pragma once

#include <stdint.h>

#include "base/fault.h"

#define HEAP_RATE_HELP "full (the default), sample[=BYTES]: one block in 512K bytes, or off"

/* The rate as in struct recorder_options.  Returns 0 or -errno with a sentence. */
int heap_rate_parse(const char *text, uint64_t *rate, struct fault *fault);
