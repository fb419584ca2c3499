/* stop_signals.h - signals that end a recording and not the program: SIGINT, SIGTERM and SIGHUP. */
#pragma once

#include <stdbool.h>

/* From now on, these signals do not end the process but set what stop_signals_asked returns.  A
 * recorder with a lifeline also pulls it, and handles SIGQUIT so, too.  A file at its size limit
 * and a closed pipe are write errors, not signals. */
void stop_signals_catch(bool has_lifeline);
bool stop_signals_asked(void);
