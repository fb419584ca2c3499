/* other_metrics.h - for commands that show one metric: tells which others the file has. */
#pragma once

#include "model/recording.h"

/* Prints on stderr which metrics of its own `recording` has besides `shown`; nothing if there are
 * none. */
void tell_other_metrics(const char *command, const struct recording *recording,
                        const struct metric *shown);
