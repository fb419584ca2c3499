/* selection_parse.h - what selection.c and selection_parse.c share. */
#pragma once

#include "base/fault.h"

/* Sets the sentence about a metric that no recording has.  Returns -EINVAL. */
int selection_no_metric(const char *name, struct fault *fault);
