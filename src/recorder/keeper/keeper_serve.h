/* keeper_serve.h - the work of a keeper process. */
#pragma once

#include "keeper/keeper.h"

/* Makes the calling process a keeper: it ignores all signals from now on, of the terminal or of any
 * process, and has the name of a keeper. */
void keeper_become(void);

/* What is the same for both keepers. */
struct keeper_birth {
    const struct keeper_wish *wish;
    struct arena_mark mark;
    pid_t recorder;
};

/* Serves the line until it is closed.  To be called in the child that was forked for this.
 * `is_prompt`: the thread that reads rings waits for this keeper, which must be fast on a busy
 * machine, too. */
_Noreturn void keeper_run(const struct keeper_birth *birth, int line, bool is_prompt);
