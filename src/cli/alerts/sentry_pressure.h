/* sentry_pressure.h - alerts about memory pressure: the kernel tells at once where it may be
 * asked to, else its average is looked at. */
#pragma once

#include "analyze/alerts/alert.h"

struct pressure_watch;

/* For one rule and one process.  Says on stderr when the kernel will not tell, or keeps no
 * pressure at all; once per run.  NULL when out of memory. */
struct pressure_watch *pressure_watch_create(const struct alert_rule *rule, uint32_t pid);
void pressure_watch_destroy(struct pressure_watch *watch); /* NULL is allowed */

/* Whether the kernel told something: look now.  NULL is allowed. */
bool pressure_watch_has_news(struct pressure_watch *watch);

/* What the rule compares: the share of the last 10 s, and for 10 s after the kernel told, at
 * least what it was asked for. */
struct alert_reading pressure_watch_read(struct pressure_watch *watch, uint64_t time_ns);

/* The time of which the last reading is a share, in seconds. */
unsigned pressure_watch_span(const struct pressure_watch *watch);
