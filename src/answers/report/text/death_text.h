/* death_text.h - a sentence about a program that did not exit by itself. */
#pragma once

#include "report/text/text_line.h"

/* Renders "at death: killed by SIGSEGV; 4.00 MiB live in 12 blocks: 3.00 MiB by parse, ..." from
 * the PIN_DEATH of `recording`; nothing if there is none.  Functions are those of `report --by
 * function`: a function without a name is shown as module and offset, never as its caller.  Returns
 * 0 or -ENOMEM. */
int death_render(struct recording *recording, struct text_line *line);
