/* keeper_serve.h - what the process does that is the keeper. */
#pragma once

#include "keeper/keeper.h"

/* Serves the line until it is closed.  For the child that was forked for it. */
_Noreturn void keeper_run(const struct keeper_wish *wish, const struct arena_mark *mark, int line,
                          pid_t recorder);
