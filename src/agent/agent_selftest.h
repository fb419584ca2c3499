/* agent_selftest.h - whether the programs in the kernel see what they should: the agent watches itself touch a page.
 *
 * Fails in a pid namespace of its own, where processes have other numbers than the kernel knows them by. */
#pragma once

#include "agent/kernel_side.h"

/* 0 or -errno with one sentence. */
int agent_selftest(struct kernel_side *side, const char *proc, struct fault *fault);
