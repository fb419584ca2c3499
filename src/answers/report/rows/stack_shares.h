/* stack_shares.h - how many stacks were walked completely, for each source of stacks. */
#pragma once

#include "model/recording.h"
#include "report/text/text_line.h"

/* Appends "100.0 % of stacks complete"; with several sources "stacks complete: 100.0 % of heap,
 * 99.9 % of cpu".  Returns false, and appends nothing, if there are no stacks. */
bool stack_shares_add(struct text_line *line, const struct recording *recording);
