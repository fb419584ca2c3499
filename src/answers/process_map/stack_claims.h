/* stack_claims.h - which mappings are stacks of threads. */
#pragma once

#include "model/memory/breakdown.h"

/* Claims those that a thread's stack pointer is in, and those that look like one: a guard below,
 * and the kernel's mark of MAP_STACK (Linux 6.7).  0 or -errno. */
int stack_claims_add(struct breakdown *breakdown);
