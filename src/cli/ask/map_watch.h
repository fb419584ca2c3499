/* map_watch.h - what `memoir map` does with a breakdown besides printing it: adds it to a history,
 * and checks alerts. */
#pragma once

#include "cli/alerts/sentry_options.h"
#include "model/memory/breakdown.h"

/* Returns the rows of --alert, --history and --history-name, which fill a struct sentry_options. */
const struct option_rule *map_watch_rules(void);

/* Checks the options.  An alert must be one that a single breakdown can decide: about a level that
 * the kernel measures, without growth and without a duration.  Returns 0 or -EINVAL with a
 * sentence. */
int map_watch_check(const struct sentry_options *options, struct fault *fault);

/* Adds to the history and checks the alerts.  Returns an exit status: 0; SENTRY_ALERT_STATUS if an
 * alert fired; 1, after a sentence, if the history could not be written. */
int map_watch_end(const struct sentry_options *options, const struct breakdown *breakdown);
