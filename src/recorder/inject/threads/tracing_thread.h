/* tracing_thread.h - a thread for ptrace.  When it ends the kernel lets go of every thread it
 * still holds, also of those that would not stop in time; so whatever traces runs in one of
 * these. */
#pragma once

/* Runs `body` in a thread of its own and waits for it.  Its result, or -errno when there is no
 * thread to be had. */
int tracing_thread_run(int (*body)(void *context), void *context);
