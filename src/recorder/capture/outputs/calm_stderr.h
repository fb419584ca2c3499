/* calm_stderr.h - standard error that nobody waits for.
 *
 * The terminal may be one that the watched program serves, and the program may be waiting for
 * its recorder: who reads rings must not wait for a terminal.  What is written to standard error
 * goes into a pipe, which a thread empties. */
#pragma once

struct calm_stderr;

/* From now on, in this process.  NULL: standard error stays as it was. */
struct calm_stderr *calm_stderr_begin(void);
/* As it was before; waits for what was written to be shown, for a few seconds at most. */
void calm_stderr_end(struct calm_stderr *calm);
