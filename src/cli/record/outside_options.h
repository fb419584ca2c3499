/* outside_options.h - what `memoir pages` and `memoir cpu` share: both record a process from
 * outside. */
#pragma once

#include "capture/outside/outside_recorder.h"
#include "cli/shared/options.h"
#include "cli/shared/serve_helper.h"
#include "cli/record/process_choice.h"

/* Sets the defaults.  `serve` is for --serve, and must outlive `options`. */
void outside_options_init(struct outside_recorder_options *options, struct serve_helper *serve,
                          const char *source);

/* Ends argv before "--".  Returns the words after "--", a program with its arguments; NULL if there
 * are none. */
char **outside_split_program(int *argc, char **argv);

/* Starts to watch every process that executes the program `name`, or with `is_once` only the first
 * one, from its first instruction: page_station_await or cpu_station_await.  Returns 0; -ENOTSUP if
 * that is not possible; or another -errno with `fault`. */
typedef int (*outside_await_fn)(void *station, const char *name, bool is_once, struct fault *fault);
/* Prepares for --name and --wait-exec: new processes are recorded from their beginning.  If `ask`
 * returns -ENOTSUP, they are recorded a little later, and this function waits for the process of
 * --wait-exec.  Returns 0 or -errno with `fault`. */
int outside_options_await(struct outside_recorder_options *options, struct process_choice *choice,
                          outside_await_fn ask, void *station, struct fault *fault);

/* Records, prints what went wrong, and returns the exit status. */
int outside_options_record(const struct outside_recorder_options *options);
