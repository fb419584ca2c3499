/* refusal.h - one sentence about why the memory of a process cannot be read. */
#pragma once

#include <stdint.h>

#include "base/fault.h"

/* Call it before reading.  Returns 0 if reading is possible; -ESRCH or -ENOEXEC with a sentence. */
int refusal_before(uint32_t pid, struct fault *fault);
/* Call it after reading has failed with `err`, or has given nothing (`err` 0). */
int refusal_after(uint32_t pid, const char *name, int err, struct fault *fault);
