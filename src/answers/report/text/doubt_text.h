/* doubt_text.h - a doubt about a recording as a sentence: what is missing, why, and what would
 * show it. */
#pragma once

#include "analyze/alerts/plausible.h"
#include "report/text/text_line.h"

void doubt_render(const struct recording *recording, const struct plausibility *found,
                  const struct doubt *doubt, struct text_line *line);

/* "runtime", "nothing", "memory", "no_frees", "off": for JSON. */
const char *doubt_key(enum doubt_kind kind);
