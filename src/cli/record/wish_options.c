/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/wish_options.h"

#include <errno.h>
#include <stdio.h>

#include "base/human.h"
#include "cli/shared/serve_helper.h"

#define MAX_SIZE_DEFAULT (256ull << 20)
#define MAX_SIZE_LEAST   (64ull << 10)

static int take_output(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    ((struct recording_wish *)into)->output = argument;
    return 0;
}

static int take_max_size(void *into, const char *argument, struct fault *fault)
{
    struct recording_wish *wish = into;
    int err = human_parse_bytes(argument, &wish->max_bytes);
    if (err == 0 && wish->max_bytes < MAX_SIZE_LEAST)
        return fault_set(fault, -ERANGE, "--max-size %s is too small; give at least 64K", argument);
    return err;
}

static int take_for(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    return human_parse_duration(argument, &((struct recording_wish *)into)->for_ns);
}

static int take_serve(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct recording_wish *)into)->began = serve_helper_begin;
    return 0;
}

static int take_listen(void *into, const char *argument, struct fault *fault)
{
    serve_helper_listen(argument);
    return take_serve(into, argument, fault);
}

static int take_token_file(void *into, const char *argument, struct fault *fault)
{
    serve_helper_token_file(argument);
    return take_serve(into, argument, fault);
}

static int take_go_pprof(void *into, const char *argument, struct fault *fault)
{
    serve_helper_go_pprof(argument);
    return take_serve(into, argument, fault);
}

static int take_quiet(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct recording_wish *)into)->quiet = true;
    return 0;
}

static int take_force(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct recording_wish *)into)->force = true;
    return 0;
}

const struct option_rule wish_rules[] = {
    {"-o", "FILE", "where to write; PROGRAM.PID.memoir in this folder unless given", take_output},
    {"--force", NULL, "write there even if a file that is no recording is in the way", take_force},
    {"--max-size", "SIZE", "keep the file below this (256M); older times get coarser",
     take_max_size},
    {"--for", "TIME", "stop recording after this time; processes go on", take_for},
    {"--serve", NULL, "serve what is recorded meanwhile, as memoir serve does", take_serve},
    {"--listen", "ADDR", "do so there instead of on 127.0.0.1:17832", take_listen},
    {"--token-file", "FILE", "with a token that those must send who ask from other machines",
     take_token_file},
    {"--go-pprof", "URL", "with what a Go program's own net/http/pprof serves there",
     take_go_pprof},
    {"--quiet", NULL, "say nothing but errors", take_quiet},
    {NULL, NULL, NULL, NULL}};

static void print_sentence(const char *sentence)
{
    fprintf(stderr, "memoir: %s\n", sentence);
}

void wish_options_init(struct recording_wish *wish)
{
    *wish = (struct recording_wish){.max_bytes = MAX_SIZE_DEFAULT, .say = print_sentence};
}
