/* wish_options.h - options that all commands that record have: the file, its size, the duration,
 * --serve. */
#pragma once

#include "capture/sessions/recording_wish.h"
#include "cli/shared/options.h"
#include "cli/shared/serve_helper.h"

/* Options that fill a struct recording_wish. */
extern const struct option_rule wish_rules[];
/* Sets the defaults.  `serve` is for --serve, and must outlive `wish`. */
void wish_options_init(struct recording_wish *wish, struct serve_helper *serve);
