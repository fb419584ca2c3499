/* serve_helper.h - `--serve` of commands that record: runs memoir-serve for as long as the recorder
 * lives.
 *
 * The standard input of memoir-serve is a pipe, whose other end the recorder holds.  memoir-serve
 * ends when the pipe is closed, so also when the recorder is killed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SERVE_HELPER_OPTIONS_MAX 4

/* All zero to begin. */
struct serve_helper {
    /* options to pass on */
    const char *names[SERVE_HELPER_OPTIONS_MAX], *values[SERVE_HELPER_OPTIONS_MAX];
    size_t option_count;
    pid_t pid;    /* of memoir-serve; 0: it does not run */
    bool is_held; /* it waits to be let go */
    int lifeline; /* the recorder's end of the pipe, while memoir-serve runs */
};

/* Passes on an option of memoir serve: --listen, --token-file or --go-pprof.  `value` must outlive
 * the helper. */
void serve_helper_option(struct serve_helper *helper, const char *name, const char *value);

/* Callback for recording_wish.prepare; the context is a struct serve_helper.  Makes a process that
 * becomes memoir-serve for process `pid` with serve_helper_begin: a recorder that has given up its
 * rights can only let it go.  To be called while there is one thread. */
void serve_helper_prepare(void *helper, bool quiet, uint32_t pid);
/* Callback for recording_wish.began.  Starts memoir-serve for process `pid`.  On failure, prints a
 * sentence, and the recording goes on. */
void serve_helper_begin(void *helper, bool quiet, uint32_t pid);
/* Like serve_helper_begin, for the folder of a run. */
void serve_helper_begin_run(struct serve_helper *helper, bool quiet, const char *path);

/* Ends memoir-serve if it runs. */
void serve_helper_end(struct serve_helper *helper);
