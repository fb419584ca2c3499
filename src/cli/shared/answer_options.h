/* answer_options.h - where an answer goes, and in which form: for commands with no more to
 * choose. */
#pragma once

#include <stdbool.h>

#include "cli/shared/options.h"

struct answer_options {
    bool json, csv, no_color;
    const char *output; /* NULL: standard output */
};

/* Into a struct answer_options.  The second list has --csv as well. */
extern const struct option_rule answer_rules[], answer_table_rules[];
