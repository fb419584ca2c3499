/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/wish_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_SIZE_DEFAULT (256ull << 20)
#define MAX_SIZE_LEAST   (64ull << 10)

/* --serve, and what memoir serve is to be told, which implies --serve. */
static int handle_serve(void *into, const char *name, const char *value, struct fault *fault)
{
    struct recording_wish *wish = into;
    (void)fault;
    if (value)
        serve_helper_option(wish->context, name, value);
    wish->prepare = serve_helper_prepare;
    wish->began = serve_helper_begin;
    return 0;
}

/* A recording is written here and there, which a pipe or a terminal cannot. */
static int handle_output(void *into, const char *name, const char *value, struct fault *fault)
{
    struct recording_wish *wish = into;
    if (strcmp(value, "-") == 0)
        return fault_set(fault, -EINVAL,
                         "%s cannot be \"-\": a recording is a file, and not written to standard "
                         "output; a file of that name is ./-",
                         name);
    wish->output = value;
    return 0;
}

const struct option_rule wish_rules[] = {
    {"-o", "FILE", "file to write; PROGRAM.PID.memoir in this folder unless given",
     OPTION_CALLBACK(handle_output)},
    {"--force", NULL, "overwrite FILE even if FILE is not a recording",
     OPTION_FLAG(struct recording_wish, force)},
    {"--max-size", "SIZE", "keep the file below SIZE (256M); older times get coarser",
     OPTION_BYTES(struct recording_wish, max_bytes, MAX_SIZE_LEAST, OPTION_NO_LIMIT)},
    {"--for", "TIME", "stop recording after TIME; the processes go on",
     OPTION_DURATION(struct recording_wish, for_ns, 0, OPTION_NO_LIMIT)},
    {"--serve", NULL, "serve the recording while it is written, as memoir serve does",
     OPTION_CALLBACK(handle_serve)},
    {"--listen", "ADDR", "address to serve on (127.0.0.1:17832); implies --serve",
     OPTION_CALLBACK(handle_serve)},
    {"--token-file", "FILE", "file with the token that clients on other machines must send",
     OPTION_CALLBACK(handle_serve)},
    {"--go-pprof", "URL", "also serve the profiles of a Go program's own net/http/pprof at URL",
     OPTION_CALLBACK(handle_serve)},
    {"--quiet", NULL, "print only errors", OPTION_FLAG(struct recording_wish, quiet)},
    {.name = NULL}};

static void print_sentence(const char *sentence)
{
    fprintf(stderr, "memoir: %s\n", sentence);
}

void wish_options_init(struct recording_wish *wish, struct serve_helper *serve)
{
    *wish = (struct recording_wish){
        .max_bytes = MAX_SIZE_DEFAULT, .say = print_sentence, .context = serve};
}
