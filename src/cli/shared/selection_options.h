/* selection_options.h - the options that all commands share to choose what to look at
 * (report/rows/selection.h), and where the answer goes.
 *
 *     struct selection selection;
 *     selection_init(&selection);
 *     const struct option_set sets[] = {{"Own options", my_rules, &mine},
 *                                       {"Choosing", selection_rules, &selection}};
 *     ... command_words(argc, argv, &help, &status) ... */
#pragma once

#include "report/rows/selection.h"
#include "cli/shared/options.h"

extern const struct option_rule selection_rules[]; /* fills a struct selection */
