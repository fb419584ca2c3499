/* outside_options.h - what commands that record from outside have in common: memoir pages and
 * memoir cpu. */
#pragma once

#include "capture/outside/outside_recorder.h"
#include "cli/shared/options.h"
#include "cli/shared/serve_helper.h"
#include "cli/record/process_choice.h"

/* Their defaults; `serve` is for --serve, and must last as long as `options`. */
void outside_options_init(struct outside_recorder_options *options, struct serve_helper *serve,
                          const char *source);

/* The words from "--" on are a program; NULL when there are none. */
char **outside_split_program(int *argc, char **argv);

/* Whether a program that is started is told of by whoever watches, before its first instruction;
 * as page_station_await and cpu_station_await. */
typedef int (*outside_await_fn)(void *station, const char *name, bool is_once, struct fault *fault);
/* Whoever is started as --wait-exec and --name say is seen from its beginning where `ask` is
 * obeyed; otherwise a little later, and --wait-exec is waited for here.  0 or -errno with
 * `fault`. */
int outside_options_await(struct outside_recorder_options *options, struct process_choice *choice,
                          outside_await_fn ask, void *station, struct fault *fault);

/* Records, says what went wrong, and returns the exit status. */
int outside_options_record(const struct outside_recorder_options *options);
