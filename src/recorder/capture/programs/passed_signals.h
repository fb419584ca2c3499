/* passed_signals.h - passes signals that were sent to memoir run on to the program.
 *
 * The signal handler keeps them; the thread that reads rings sends them.  Real-time signals are
 * queued as the kernel does: each one, in order, with its own value. 256 of them can wait; a
 * further one comes after them, with the value of the last signal of its number.  Of other signals,
 * one is kept. */
#pragma once

#include <sys/types.h>

#define PASSED_SIGNALS_QUEUED 256u

/* Signal handlers of any thread may call this. */
void passed_signals_keep(int number, void *value);

/* Only one thread may call this. */
void passed_signals_send(pid_t pid);
