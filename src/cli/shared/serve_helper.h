/* serve_helper.h - `--serve` of commands that record: memoir-serve beside the recorder, for as long as that lives.
 *
 * There is one per program.  It ends when its standard input does, which is a pipe of ours: so also when we are killed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where it is to listen; NULL: where it does by itself. */
void serve_helper_listen(const char *address);

/* What those must know who ask from elsewhere; NULL: nobody may. */
void serve_helper_token_file(const char *path);

/* Where the program itself serves net/http/pprof; NULL: nowhere. */
void serve_helper_go_pprof(const char *url);

/* For recording_wish.began: starts it for process `pid`.  What is wrong it says itself; recording goes on. */
void serve_helper_begin(bool quiet, uint32_t pid);
/* The same for the folder of a run. */
void serve_helper_begin_run(bool quiet, const char *path);

/* Ends it, if there is one. */
void serve_helper_end(void);
