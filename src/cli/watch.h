/* watch.h - watches what is recorded: evaluates alerts once a second and adds to the history.
 *
 * Nothing here can fail a recording: what goes wrong is told once, and the recording goes on. */
#pragma once

#include "capture/watcher.h"
#include "cli/watch_options.h"

struct watch;

/* NULL with `fault` when the history cannot be opened, or out of memory.  `options` must outlive it. */
struct watch *watch_create(const struct watch_options *options, struct fault *fault);

/* For the recorder. */
const struct watcher *watch_watcher(struct watch *watch);

/* Ends it: waits a while for messages that are on their way.  How many alerts fired. */
uint32_t watch_finish(struct watch *watch);

/* The exit status of a command when the program's own is 0 and an alert fired. */
#define WATCH_ALERT_STATUS 3
