/* graph_rules.h - inside `memoir graph`: the options that say what is left out. */
#pragma once

#include "cli/shared/options.h"

extern const struct option_rule graph_choice_rules_table[]; /* into a struct graph_choice */
