/* exit_hooks.h - the end of a program whose recorder is not its parent.  It waits until its
 * recording is written: a caller that waits for the program reads the recording next, and the end
 * of the first process of a PID namespace also ends the recorder. */
#pragma once

/* Makes the process wait at its end, if its recorder wants that. */
void exit_hooks_start_up(void);
