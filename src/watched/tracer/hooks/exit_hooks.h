/* exit_hooks.h - the end of a program whose recorder is not its parent: it waits until its
 * recording is written, because a caller that waits for the program reads that next, and because
 * the end of the first process of a pid namespace is the end of the recorder, too. */
#pragma once

/* Has the process wait at its end, if its recorder wants that. */
void exit_hooks_start_up(void);
