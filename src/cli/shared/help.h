/* help.h - what `memoir --help` and `memoir COMMAND --help` print. */
#pragma once

#include <stdio.h>

#include "cli/shared/options.h"

/* Usage, summary, options by set, examples. */
void help_print(FILE *out, const struct command_help *help);
