/* serve_helper.h - `--serve` of commands that record: memoir-serve beside the recorder, for as long as that lives.
 *
 * There is one per program.  It ends when its standard input does, which is a pipe of ours: so also when we are killed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Passes an option of memoir serve on: --listen, --token-file or --go-pprof.  `value` must last. */
void serve_helper_option(const char *name, const char *value);

/* For recording_wish.began: starts it for process `pid`.  What is wrong it says itself; recording goes on. */
void serve_helper_begin(bool quiet, uint32_t pid);
/* The same for the folder of a run. */
void serve_helper_begin_run(bool quiet, const char *path);

/* Ends it, if there is one. */
void serve_helper_end(void);
