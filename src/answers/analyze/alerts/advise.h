/* advise.h - what could be done about resident memory, from its owners: the last part of
 * explain.h. */
#pragma once

#include "analyze/memory/explain.h"

/* Nothing is said about free pages of a heap that was sampled: they are not told apart from others.
 * Fills explanation->advice.  0 or -errno with `fault`. */
int advise(struct recording *recording, struct explanation *explanation, struct fault *fault);
