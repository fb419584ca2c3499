/* report_sides.h - inside `memoir report`: several metrics side by side, --metric A,B,... */
#pragma once

#include "cli/shared/selection_options.h"

/* Returns a sentence about an option that does not work with several metrics; NULL if there is
 * none. */
const char *report_sides_conflict(const struct selection *selection, const char *sort);

/* Prints the report.  `sort` NULL: sorted by the first metric.  Returns 0 or -errno with a
 * sentence. */
int report_sides(struct recording *recording, struct selection *selection, const char *sort,
                 struct fault *fault);
