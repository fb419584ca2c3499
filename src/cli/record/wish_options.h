/* wish_options.h - options that all commands that record have: where to, how large, how long, whether to serve it. */
#pragma once

#include "capture/sessions/recording_wish.h"
#include "cli/shared/options.h"

/* Into a struct recording_wish. */
extern const struct option_rule wish_rules[];
void wish_options_init(struct recording_wish *wish);
