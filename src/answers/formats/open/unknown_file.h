/* unknown_file.h - a file that no reader knows: what it looks like, and what memoir reads
 * instead. */
#pragma once

#include "base/fault.h"
#include "base/slice.h"
#include "formats/shared/output.h"

/* The sentence about `name`, whose first bytes, unpacked, are `head`.  -EINVAL. */
int unknown_file(const char *name, struct slice head, enum compression packed, struct fault *fault);
