/* tracing_thread.h - a thread for ptrace.  When it ends, the kernel releases every thread that it
 * still traces, also those that did not stop in time; so all tracing is done in such a thread. */
#pragma once

/* Runs `body` in a thread of its own and waits for it.  Returns its result, or -errno if no thread
 * could be created. */
int tracing_thread_run(int (*body)(void *context), void *context);
