/* stop_signals.h - signals that end a recording and not the program: SIGINT, SIGTERM and SIGHUP. */
#pragma once

#include <stdbool.h>

/* From now on they only ask.  A recorder that has a lifeline pulls it then, and minds SIGQUIT as
 * well.  A file at its limit and a closed pipe are errors of writing. */
void stop_signals_catch(bool has_lifeline);
bool stop_signals_asked(void);
