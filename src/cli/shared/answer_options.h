/* answer_options.h - options about the place and the form of an answer, for commands with no other
 * such options. */
#pragma once

#include <stdbool.h>

#include "cli/shared/options.h"

struct answer_options {
    bool json, csv, no_color;
    const char *output; /* NULL: standard output */
};

/* Options that fill a struct answer_options.  The second list has --csv, too. */
extern const struct option_rule answer_rules[], answer_table_rules[];
