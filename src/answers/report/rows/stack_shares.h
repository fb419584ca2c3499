/* stack_shares.h - how many stacks were walked to their outer end, for each source that has any. */
#pragma once

#include "model/recording.h"
#include "report/text/text_line.h"

/* "100.0 % of stacks complete", or where there are several sources "stacks complete: 100.0 % of
 * heap, 99.9 % of cpu".  false with nothing added when there are no stacks. */
bool stack_shares_add(struct text_line *line, const struct recording *recording);
