/* doubt_text.h - renders a doubt about a recording as a sentence: what is missing, why, and how to
 * see it. */
#pragma once

#include "analyze/alerts/plausible.h"
#include "report/text/text_line.h"

void doubt_render(const struct recording *recording, const struct plausibility *found,
                  const struct doubt *doubt, struct text_line *line);

/* Returns the kind as a word for JSON: "runtime", "nothing", "memory", "no_frees", "off". */
const char *doubt_key(enum doubt_kind kind);
