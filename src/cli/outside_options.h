/* outside_options.h - what commands that record from outside have in common: memoir pages and memoir cpu. */
#pragma once

#include "capture/outside_recorder.h"
#include "cli/options.h"

void outside_options_init(struct outside_recorder_options *options, const char *source);

/* The words from "--" on are a program; NULL when there are none. */
char **outside_split_program(int *argc, char **argv);

/* Records, says what went wrong, and returns the exit status. */
int outside_options_record(const struct outside_recorder_options *options);
