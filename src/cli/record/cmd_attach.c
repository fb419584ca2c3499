/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shared/parse_pid.h"
#include "cli/record/record_commands.h"
#include "cli/record/record_options.h"
#include "cli/record/wish_options.h"
#include "inject/choice/target_find.h"
#include "inject/choice/wait_exec.h"
#include "keeper/keeper.h"

struct attach_choice {
    const char *name, *container, *wait_exec;
    const char *pid, *more; /* the words of the command line, if there are any */
};

static const struct option_rule choice_rules[] = {
    {"--name", "NAME", "the only process of this name", OPTION_TEXT(struct attach_choice, name)},
    {"--container", "NAME",
     "the process of this container, by name or id; with --name, the process of that name in it",
     OPTION_TEXT(struct attach_choice, container)},
    {"--wait-exec", "NAME", "wait until a program of this name starts",
     OPTION_TEXT(struct attach_choice, wait_exec)},
    {.name = NULL}};

static volatile sig_atomic_t stop_asked;

static void on_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static int wait_for(const char *name, bool quiet, pid_t *pid, struct fault *fault)
{
    struct sigaction action = {.sa_handler = on_stop};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!quiet)
        fprintf(stderr,
                "memoir: waiting until a program %s starts; its allocations in the first "
                "milliseconds, before memoir is attached, are not recorded: memoir run records "
                "them\n",
                name);
    return wait_exec(name, &stop_asked, pid, fault);
}

/* Exactly one way of saying which process. */
static int find(const struct attach_choice *choice, bool quiet, pid_t *pid, struct fault *fault)
{
    int const ways =
        (choice->pid != NULL) + (choice->wait_exec != NULL) + (choice->name || choice->container);
    if (choice->more)
        return fault_set(fault, -EINVAL, "one process at a time: choose %s or %s", choice->pid,
                         choice->more);
    if (ways == 0)
        return fault_set(fault, -EINVAL,
                         "no process: give a PID, --name, --container or --wait-exec");
    if (ways > 1)
        return fault_set(
            fault, -EINVAL,
            "give a PID, or --name and --container, or --wait-exec, not several of them");
    if (choice->pid && parse_pid(choice->pid, pid) < 0)
        return fault_set(fault, -EINVAL, "%s is not a PID; give a number, or --name %s",
                         choice->pid, choice->pid);
    if (choice->pid)
        return 0;
    if (choice->wait_exec)
        return wait_for(choice->wait_exec, quiet, pid, fault);
    return target_find(choice->container, choice->name, pid, fault);
}

static int attach(struct recorder_options *options, const struct sentry_options *watched, pid_t pid)
{
    struct recorder_result result;
    struct fault fault = {0};
    char name[32];
    int status;
    struct sentry *watch = record_watch(options, watched, &status);
    if (!watch)
        return status;
    int err = recorder_attach(options, pid, &result, &fault);
    if (err < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        status = record_watch_end(watch, 1);
    } else {
        snprintf(name, sizeof(name), "process %d", (int)pid);
        status = record_watch_end(watch, record_end(options, &result, name));
    }
    keeper_end();
    return status;
}

int cmd_attach(int argc, char **argv)
{
    char library[PATH_MAX];
    struct attach_choice choice = {.name = NULL};
    struct record_options options;
    struct sentry_options watched;
    struct fault fault = {.text = ""};
    struct option_set const sets[] = {{"Which process", choice_rules, &choice},
                                      {"Recording", wish_rules, &options.recorder.wish},
                                      {"What to record", record_rules, &options},
                                      {"Alerts and history", sentry_rules, &watched}};
    struct command_help const help = {
        .usage = "memoir attach [options] PID",
        .summary =
            "Records a process that runs already, until it ends, Ctrl-C, or memoir detach "
            "PID.\nOne of its threads loads memoir's library while the others run on.  At the end "
            "memoir removes\nits hooks; the library stays mapped (about 300 KiB) and does "
            "nothing.  For blocks that are older\nthan the recording, only the sum is known: what "
            "the kernel counted as resident at that time.",
        .examples = "  memoir attach 4242\n"
                    "  memoir attach --for 10m -o node.memoir --name node\n"
                    "  memoir attach --container web --name redis-server\n"
                    "  memoir attach --wait-exec node\n"
                    "  memoir attach --alert 'growth>5%/h' --alert-webhook https://host/path 4242\n"
                    "  memoir attach --history node.db 4242\n",
        .sets = sets,
        .set_count = sizeof(sets) / sizeof(sets[0])};
    int status;
    pid_t pid = 0;
    record_options_init(&options);
    options.recorder.longest_wait_ns = NEVER_WAIT_DEFAULT;
    sentry_options_init(&watched);
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    choice.pid = words > 0 ? argv[1] : NULL;
    choice.more = words > 1 ? argv[2] : NULL;
    int const err = find(&choice, options.recorder.wish.quiet, &pid, &fault);
    if (err < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        return err == -EINVAL ? 2 : 1;
    }
    record_options_finish(&options);
    status =
        record_library(&options.recorder, library) ? attach(&options.recorder, &watched, pid) : 1;
    sentry_options_fini(&watched);
    return status;
}
