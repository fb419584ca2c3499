/* own_limits.h - the recorder's own limits (ulimit), which it has from whoever started it: lifted
 * where that is allowed, and named where they stand in the way. */
#pragma once

#include "base/fault.h"

/* Lifts the limits on files, memory and processes as far as may be; the program gets its own back
 * (launch_remember). */
void own_limits_lift(void);

/* Lifts the limit on the stack as far as recording needs.  To be called before the first thread is
 * made.  Returns 0, or -ENOMEM with `fault` when what is allowed is too little. */
int own_limits_lift_stack(struct fault *fault);

/* Returns which limit may be why there is no memory, or no thread, as the end of a sentence; "" if
 * none is known. */
const char *own_limits_hint(void);
