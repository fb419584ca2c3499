/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/outside_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "capture/programs/launch.h"
#include "cli/record/wish_options.h"

void outside_options_init(struct outside_recorder_options *options, struct serve_helper *serve,
                          const char *source)
{
    *options = (struct outside_recorder_options){.source = source};
    wish_options_init(&options->wish, serve);
    launch_remember(); /* before we need more descriptors */
}

char **outside_split_program(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            char **program = argv[i + 1] ? &argv[i + 1] : NULL;
            argv[i] = NULL;
            *argc = i;
            return program;
        }
    return NULL;
}

int outside_options_await(struct outside_recorder_options *options, struct process_choice *choice,
                          outside_await_fn ask, void *station, struct fault *fault)
{
    bool const is_once = choice->wait_exec != NULL;
    const char *name = is_once                               ? choice->wait_exec
                       : choice->container || choice->cgroup ? NULL
                                                             : choice->name;
    int const err = name ? ask(station, name, is_once, fault) : -ENOTSUP;
    if (err < 0 && err != -ENOTSUP)
        return err;
    options->awaited = name;
    if (!is_once)
        return 0;
    if (err < 0)
        return process_choice_find(choice, NULL, 0, options->wish.quiet, &options->fixed,
                                   &options->selector, fault);
    process_choice_await(choice, &options->selector);
    options->is_one = true;
    if (!options->wish.quiet)
        fprintf(stderr, "memoir: waiting until a program %s starts\n", name);
    return 0;
}

int outside_options_record(const struct outside_recorder_options *options)
{
    struct outside_recorder_result result;
    struct fault fault = {.text = ""};
    int const err = outside_record(options, &result, &fault);
    serve_helper_end(options->wish.context);
    if (err < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text[0] ? fault.text : strerror(-err));
        return result.exec_errno == ENOENT ? 127 : result.exec_errno ? 126 : 1;
    }
    if (options->is_one && result.recordings == 0) {
        fprintf(stderr,
                "memoir: no program %s started before you stopped "
                "waiting\n",
                options->awaited);
        return 1;
    }
    int const status = result.wait_status < 0            ? 0
                       : WIFSIGNALED(result.wait_status) ? 128 + WTERMSIG(result.wait_status)
                                                         : WEXITSTATUS(result.wait_status);
    return status == 0 && result.unfinished ? 1 : status;
}
