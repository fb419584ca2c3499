/* top_terminal.h - a terminal that is given back as it was, whatever ends the program. */
#pragma once

#include "base/fault.h"

/* Takes the terminal for ncurses.  0, or -errno with a sentence. */
int top_terminal_begin(struct fault *fault);
/* Gives it back; nothing when it was not taken. */
void top_terminal_end(void);
