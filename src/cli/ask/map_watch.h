/* map_watch.h - what `memoir map` does with a breakdown in addition to showing it: adds it to a
 * history, compares it with alerts. */
#pragma once

#include "cli/alerts/sentry_options.h"
#include "model/memory/breakdown.h"

/* --alert, --history and --history-name, into a struct sentry_options. */
const struct option_rule *map_watch_rules(void);

/* Levels that a breakdown knows are those of the kernel; a rule about others is a mistake.  0 or
 * -EINVAL. */
int map_watch_check(const struct sentry_options *options, struct fault *fault);

/* Does both.  0; SENTRY_ALERT_STATUS when a rule is met; 1, after a sentence, when the history
 * could not be written. */
int map_watch_end(const struct sentry_options *options, const struct breakdown *breakdown);
