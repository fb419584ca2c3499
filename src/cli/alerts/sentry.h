/* sentry.h - watches recorded processes: evaluates alerts once a second and adds to the history.
 *
 * No error here ends a recording: each error is reported once. */
#pragma once

#include "capture/outside/watcher.h"
#include "cli/alerts/sentry_options.h"

struct sentry;

/* Starts the processes that act on alerts and write the history, so there must be one thread.
 * `output` is that of the recording, or NULL.  Returns NULL with `fault` when the history cannot be
 * opened, or when out of memory.  `options` and `output` must outlive the sentry. */
struct sentry *sentry_create(const struct sentry_options *options, const char *output,
                             struct fault *fault);

/* Returns the callbacks that the recorder calls. */
const struct watcher *sentry_watcher(struct sentry *sentry);

/* Frees the sentry, after waiting a limited time for actions that still run.  Returns the number of
 * alerts that fired. */
uint32_t sentry_finish(struct sentry *sentry);

/* Exit status of a command if the program's own status is 0 and an alert fired. */
#define SENTRY_ALERT_STATUS 3
