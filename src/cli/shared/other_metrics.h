/* other_metrics.h - for commands that show one metric: what else the file counts. */
#pragma once

#include "model/recording.h"

/* Says on stderr which metrics of its own `recording` has beside `shown`; nothing when it has
 * none. */
void tell_other_metrics(const char *command, const struct recording *recording,
                        const struct metric *shown);
