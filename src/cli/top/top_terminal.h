/* top_terminal.h - takes the terminal, and restores it however the program ends. */
#pragma once

#include "base/fault.h"

/* Prepares the terminal for ncurses.  Returns 0 or -errno with a sentence. */
int top_terminal_begin(struct fault *fault);
/* Restores the terminal; does nothing if top_terminal_begin was not called. */
void top_terminal_end(void);
