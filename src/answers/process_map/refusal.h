/* refusal.h - why the memory of a process cannot be looked at, in one sentence. */
#pragma once

#include <stdint.h>

#include "base/fault.h"

/* Before the reading: -ESRCH, -ENOEXEC, or 0 when nothing is in the way. */
int refusal_before(uint32_t pid, struct fault *fault);
/* After it failed with `err`, or gave nothing (0). */
int refusal_after(uint32_t pid, const char *name, int err, struct fault *fault);
