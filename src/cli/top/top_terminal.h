/* top_terminal.h - a terminal that is put back as it was, however the program ends. */
#pragma once

#include "base/fault.h"

/* Takes the terminal for ncurses.  0, or -errno with a sentence. */
int top_terminal_begin(struct fault *fault);
/* Gives it back; nothing when it was not taken. */
void top_terminal_end(void);
