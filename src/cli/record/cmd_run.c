/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/record/record_commands.h"
#include "cli/record/record_options.h"
#include "cli/record/wish_options.h"
#include "keeper/keeper.h"

/* As a shell: not found is 127, found but not to be run is 126. */
static int failure_status(int err)
{
    if (err == -ENOENT)
        return 127;
    return err == -EACCES || err == -ENOEXEC || err == -EPERM ? 126 : 1;
}

struct run_options {
    bool becomes;
    struct record_options record;
    struct sentry_options watched;
};

static const struct option_rule exec_rules[] = {
    {"--exec", NULL,
     "become the program, which then has the PID of memoir run; the recorder is not its child",
     OPTION_FLAG(struct run_options, becomes)},
    {.name = NULL}};

static int run(struct recorder_options *options, const struct sentry_options *watched, bool becomes)
{
    struct recorder_result result;
    struct fault fault = {0};
    int status;
    struct sentry *watch = record_watch(options, watched, &status);
    if (!watch)
        return status;
    int err = becomes ? recorder_become(options, &result, &fault)
                      : recorder_run(options, &result, &fault);
    if (err < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        status = record_watch_end(watch, failure_status(err));
    } else {
        status = record_watch_end(watch, record_end(options, &result, options->command[0]));
    }
    keeper_end();
    if (becomes)
        recorder_become_end(status);
    return status;
}

int cmd_run(int argc, char **argv)
{
    char library[PATH_MAX];
    struct run_options options = {.becomes = false};
    struct option_set sets[] = {{"Starting the program", exec_rules, &options},
                                {"Recording", wish_rules, &options.record.recorder.wish},
                                {"What to record", record_rules, &options.record},
                                {"Alerts and history", sentry_rules, &options.watched}};
    struct command_help help = {
        .usage = "memoir run [options] -- PROGRAM [ARGUMENTS]",
        .summary =
            "Runs a program and records every allocation, from the first to the last, with its "
            "call stack.\nThe exit status is that of the program.  If the program's status is 0: 1 "
            "if the recording could\nnot be written completely (a full disk), 3 if an alert fired.",
        .examples = "  memoir run -- ./node --port 8080\n"
                    "  memoir run -o node.memoir --max-size 1G -- ./node\n"
                    "  memoir run --heap sample -- ./node      (in production)\n"
                    "  memoir run --children -- make -j2\n"
                    "  exec memoir run --exec -- ./node        (in a script that is signalled)\n"
                    "  memoir run --allocator my_ -- ./node\n"
                    "  memoir run --alert 'rss>2G' --alert-exec ./tell.sh -- ./node\n"
                    "  memoir run --history node.db -- ./node  (see memoir history)\n",
        .sets = sets,
        .set_count = sizeof(sets) / sizeof(sets[0])};
    int status, first = 1;

    record_options_init(&options.record);
    sentry_options_init(&options.watched);
    /* Options end at "--" or at the program's name: what follows belongs to the program. */
    while (first < argc && argv[first][0] == '-' && strcmp(argv[first], "--") != 0)
        first += record_option_words(argv + first);
    if (first > argc)
        first = argc;
    if (command_words(first, argv, &help, &status) < 0)
        return status;
    if (first < argc && strcmp(argv[first], "--") == 0)
        first++;
    if (first >= argc) {
        fprintf(stderr, "memoir: no program: memoir run -- PROGRAM [ARGUMENTS]\n");
        return 2;
    }
    record_options_finish(&options.record);
    if (!record_library(&options.record.recorder, library))
        return 1;
    options.record.recorder.command = argv + first;
    status = run(&options.record.recorder, &options.watched, options.becomes);
    sentry_options_fini(&options.watched);
    return status;
}
