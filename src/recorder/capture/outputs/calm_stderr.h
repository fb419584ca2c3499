/* calm_stderr.h - a standard error that nobody has to wait for.
 *
 * The watched program may serve our terminal, and may at the same time wait for the recorder: so
 * the thread that reads rings must not wait for a terminal.  What is written to standard error goes
 * into a pipe, which another thread empties. */
#pragma once

struct calm_stderr;

/* Starts this for the whole process.  Returns NULL on failure; then standard error is unchanged. */
struct calm_stderr *calm_stderr_begin(void);
/* Restores standard error; waits a few seconds at most until what was written is shown. */
void calm_stderr_end(struct calm_stderr *calm);
