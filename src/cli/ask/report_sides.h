/* report_sides.h - inside `memoir report`: several metrics side by side, --metric A,B,... */
#pragma once

#include "cli/shared/selection_options.h"

/* Why the options do not go with several metrics, or NULL. */
const char *report_sides_conflict(const struct selection *selection, const char *sort);

/* Answers.  `sort` NULL: by the first metric.  0 or -errno with a sentence. */
int report_sides(struct recording *recording, struct selection *selection, const char *sort,
                 struct fault *fault);
