/* side_process.h - processes beside a recorder, which do for alerts and for the history what the
 * recorder may not do, or should not wait for.
 *
 * The recorder reads what the watched program wrote, and has given up its rights before that.  A
 * side process is forked earlier.  It reads messages that it checks, and nothing else of the
 * program.  It ends by itself once the recorder has closed the line, however the recorder ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Forks a process that calls `work` with its end of a line (sandbox/line.h) and then ends.  It is
 * nobody's child, minds no signals, and has no open files but the line and standard error.  To be
 * called while there is one thread.  Returns our end, which does not block, or -errno. */
int side_process_begin(const char *name, void (*work)(int line, const void *context),
                       const void *context);

/* Sends a message.  Returns 0; or -EAGAIN if the process is so busy that messages pile up. */
int side_process_tell(int line, const void *message, size_t size);

/* Waits for an answer, but for no longer than `wait_ms`.  Returns whether there is one; also true
 * if the line is closed. */
bool side_process_wait(int line, unsigned wait_ms);

/* Says that nothing more comes. */
void side_process_close(int line);
/* The same; waits until the process has ended, for at most `wait_ms`, and gives the line back. */
void side_process_end(int line, unsigned wait_ms);
