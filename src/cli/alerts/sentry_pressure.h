/* sentry_pressure.h - alerts about memory pressure.  If the kernel allows it, the kernel reports
 * pressure at once; otherwise the average is polled. */
#pragma once

#include "analyze/alerts/alert.h"
#include "cli/alerts/alert_broker.h"

struct pressure_watch;

/* Creates the watch for one rule, which has this index, and one process.  Prints on stderr, once
 * per run, if the kernel does not report pressure, or does not measure it.  Returns NULL when out
 * of memory. */
struct pressure_watch *pressure_watch_create(struct alert_broker *broker,
                                             const struct alert_rule *rule, unsigned index,
                                             uint32_t pid);
void pressure_watch_destroy(struct pressure_watch *watch); /* NULL is allowed */

/* Returns whether the kernel reported pressure since the last call: call pressure_watch_read now.
 * NULL is allowed. */
bool pressure_watch_has_news(struct pressure_watch *watch);

/* Returns the value that the rule compares: the share of the last 10 s.  For 10 s after a report of
 * the kernel, the value is at least the threshold that the kernel was given. */
struct alert_reading pressure_watch_read(struct pressure_watch *watch, uint64_t time_ns);

/* Returns the length of the time range, in seconds, that the last reading is a share of. */
unsigned pressure_watch_span(const struct pressure_watch *watch);
