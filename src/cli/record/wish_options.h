/* wish_options.h - options that all commands that record have: where to, how large, how long,
 * whether to serve it. */
#pragma once

#include "capture/sessions/recording_wish.h"
#include "cli/shared/options.h"
#include "cli/shared/serve_helper.h"

/* Into a struct recording_wish. */
extern const struct option_rule wish_rules[];
/* Their defaults; `serve` is for --serve, and must last as long as `wish`. */
void wish_options_init(struct recording_wish *wish, struct serve_helper *serve);
