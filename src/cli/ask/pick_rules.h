/* pick_rules.h - selects some of the shared options, for commands that do not take the others. */
#pragma once

#include "cli/shared/options.h"

#define PICKED_MAX 16

/* Fills `picked` with the rules of `from` that `names` lists (it ends with NULL), in that order.
 * Aborts on a name that `from` does not have: that is an error in the source. */
void pick_rules(const struct option_rule *from, const char *const *names,
                struct option_rule picked[PICKED_MAX]);
