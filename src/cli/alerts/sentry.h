/* sentry.h - watches what is recorded: evaluates alerts once a second and adds to the history.
 *
 * Nothing here can fail a recording: what goes wrong is told once, and the recording goes on. */
#pragma once

#include "capture/outside/watcher.h"
#include "cli/alerts/sentry_options.h"

struct sentry;

/* NULL with `fault` when the history cannot be opened, or out of memory.  `options` must outlive
 * it. */
struct sentry *sentry_create(const struct sentry_options *options, struct fault *fault);

/* For the recorder. */
const struct watcher *sentry_watcher(struct sentry *sentry);

/* Ends it: waits a while for messages that are on their way.  How many alerts fired. */
uint32_t sentry_finish(struct sentry *sentry);

/* The exit status of a command when the program's own is 0 and an alert fired. */
#define SENTRY_ALERT_STATUS 3
