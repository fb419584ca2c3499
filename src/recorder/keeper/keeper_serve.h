/* keeper_serve.h - what the process does that is the keeper. */
#pragma once

#include "keeper/keeper.h"

/* The calling process takes no signals from now on, of the terminal or anybody else, and is called
 * a keeper. */
void keeper_become(void);

/* Serves the line until it is closed.  For the child that was forked for it. */
_Noreturn void keeper_run(const struct keeper_wish *wish, const struct arena_mark *mark, int line,
                          pid_t recorder);
