/* pick_rules.h - some of the shared options, for commands to which the others mean nothing. */
#pragma once

#include "cli/shared/options.h"

#define PICKED_MAX 16

/* Fills `picked` with the rules of `from` named in `names` (ends with NULL), in that order.  A name
 * that is not there is a mistake in the source and aborts. */
void pick_rules(const struct option_rule *from, const char *const *names,
                struct option_rule picked[PICKED_MAX]);
