/* timing_text.h - sentences about the recorded time, and how complete the record is. */
#pragma once

#include "model/recording.h"
#include "report/text/text_line.h"

/* Renders both sentences; nothing if time was not recorded.  Returns whether the numbers are in
 * doubt. */
bool timing_render(const struct recording *recording, struct text_line *on, struct text_line *off);
