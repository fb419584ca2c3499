/* death_text.h - a few words about a program that did not end by itself. */
#pragma once

#include "report/text/text_line.h"

/* "at death: killed by SIGSEGV; 4.00 MiB live in 12 blocks: 3.00 MiB by parse, ..." from the
 * PIN_DEATH of `recording`, or nothing when there is none. Functions are those of `report --by
 * function`: one without a name is its module and offset, never a caller.  Returns 0 or -ENOMEM. */
int death_render(struct recording *recording, struct text_line *line);
