/* selection_parse.h - inside selection.c and selection_parse.c. */
#pragma once

#include "base/fault.h"

/* The sentence about a metric that no recording has.  -EINVAL. */
int selection_no_metric(const char *name, struct fault *fault);
