/* passed_signals.h - passes signals that were sent to memoir run on to the program.
 *
 * The signal handler keeps them; the thread that reads rings sends them.  Real-time signals are
 * queued as the kernel does: each one, in order, with its own value. 256 of them can wait; a
 * further one comes after them, with the value of the last signal of its number.  Of other signals,
 * one is kept. */
#pragma once

#include <sys/types.h>

#define PASSED_SIGNALS_QUEUED 256u

/* Catches the signals that are also faults: SIGSEGV, SIGABRT and the like.  One that was sent to
 * this process is kept; one for a fault of its own ends it, as it would have before.  SIGPIPE and
 * SIGXFSZ for its own writes do nothing: such a write has an errno. */
void passed_signals_catch_faults(void);

/* Signal handlers of any thread may call this. */
void passed_signals_keep(int number, void *value);

/* Only one thread may call this. */
void passed_signals_send(pid_t pid);
