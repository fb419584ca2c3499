/* passed_signals.h - signals that were sent to memoir run and are meant for the program.
 *
 * The handler keeps them, the thread that reads rings sends them on.  Real-time signals are
 * queued as the kernel does it: each by itself, in order, with its own value.  256 of them can
 * wait; what comes then comes after them, with the value of the last of its number.  Of other
 * signals one is as good as many. */
#pragma once

#include <sys/types.h>

#define PASSED_SIGNALS_QUEUED 256u

/* Safe in handlers, of any thread. */
void passed_signals_keep(int number, void *value);

/* To be called by one thread. */
void passed_signals_send(pid_t pid);
