/* agent_selftest.h - checks whether the BPF programs see what they should: the agent watches itself
 * touch a page, and work and wait for some milliseconds.
 *
 * Fails in a PID namespace of its own, where processes have other PIDs than the kernel's. */
#pragma once

#include "agent/kernel_side.h"

/* Returns 0, or -errno with one sentence.  If only time cannot be seen, returns 0, and `no_time`
 * says why; else `no_time` is "". */
int agent_selftest(struct kernel_side *side, const char *proc, struct fault *no_time,
                   struct fault *fault);
