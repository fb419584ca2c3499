/* timing_text.h - how much time was seen of a recording, and how well, as sentences. */
#pragma once

#include "model/recording.h"
#include "report/text/text_line.h"

/* Nothing when time was not recorded.  Returns whether what was found is to be doubted. */
bool timing_render(const struct recording *recording, struct text_line *on, struct text_line *off);
