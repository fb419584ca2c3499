/* agent_selftest.h - whether the programs in the kernel see what they should: the agent watches
 * itself touch a page, and work and wait for some milliseconds.
 *
 * Fails in a pid namespace of its own, where processes have other numbers than the kernel knows
 * them by. */
#pragma once

#include "agent/kernel_side.h"

/* 0 or -errno with one sentence.  Where only time cannot be seen it is 0, and `no_time` says
 * why; else that is "". */
int agent_selftest(struct kernel_side *side, const char *proc, struct fault *no_time,
                   struct fault *fault);
