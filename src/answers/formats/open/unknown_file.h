/* unknown_file.h - the error for a file that no reader recognises: what it looks like, and what
 * memoir can read instead. */
#pragma once

#include "base/fault.h"
#include "base/slice.h"
#include "formats/shared/output.h"

/* Sets the sentence about the file `name`; `head` is its first bytes, unpacked.  Returns
 * -EINVAL. */
int unknown_file(const char *name, struct slice head, enum compression packed, struct fault *fault);
