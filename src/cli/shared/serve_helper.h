/* serve_helper.h - `--serve` of commands that record: memoir-serve beside the recorder, for as
 * long as that lives.
 *
 * memoir-serve ends when its standard input does, which is a pipe of ours: so also when we are
 * killed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SERVE_HELPER_OPTIONS_MAX 4

/* Zero it to begin. */
struct serve_helper {
    /* of options that are passed on */
    const char *names[SERVE_HELPER_OPTIONS_MAX], *values[SERVE_HELPER_OPTIONS_MAX];
    size_t option_count;
    pid_t pid;    /* 0: memoir-serve does not run */
    int lifeline; /* then: our end of the pipe */
};

/* Passes an option of memoir serve on: --listen, --token-file or --go-pprof.  `value` must last. */
void serve_helper_option(struct serve_helper *helper, const char *name, const char *value);

/* For recording_wish.began, with a struct serve_helper as its context: starts memoir-serve for
 * process `pid`, or says why not; recording goes on. */
void serve_helper_begin(void *helper, bool quiet, uint32_t pid);
/* Like serve_helper_begin, for the folder of a run. */
void serve_helper_begin_run(struct serve_helper *helper, bool quiet, const char *path);

/* Ends memoir-serve, if it runs. */
void serve_helper_end(struct serve_helper *helper);
