/* keeper_serve.h - what the process does that is the keeper. */
#pragma once

#include "keeper/keeper.h"

/* The calling process takes no signals from now on, of the terminal or anybody else, and is called
 * a keeper. */
void keeper_become(void);

/* What is the same for both keepers. */
struct keeper_birth {
    const struct keeper_wish *wish;
    struct arena_mark mark;
    pid_t recorder;
};

/* Serves the line until it is closed.  For the child that was forked for it.  `is_prompt`: the
 * thread that reads rings waits for it, on a busy machine, too. */
_Noreturn void keeper_run(const struct keeper_birth *birth, int line, bool is_prompt);
