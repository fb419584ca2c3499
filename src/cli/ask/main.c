/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the `memoir` front: finds the command and runs it, here or in the program it lives in.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/terminal.h"
#include "capture/programs/launch.h"
#include "cli/ask/commands.h"
#include "cli/shared/helper_program.h"
#include "base/nearest.h"

struct main_command {
    const char *name;
    int (*run)(int argc, char **argv); /* NULL: lives in `program` */
    const char *program;
    const char *help;
    const char *family; /* the heading above the command, for the first one of each family */
};

#define RECORD  "memoir-record"
#define CLUSTER "memoir-cluster"

/* In the order of --help: families, and in each family the most used command first. */
static const struct main_command commands[] = {
    {"run", NULL, RECORD, "record a program from its first instruction", "Record"},
    {"attach", NULL, RECORD, "record a process that is already running", NULL},
    {"detach", NULL, RECORD, "end the recording of a process; the process goes on", NULL},
    {"cpu", NULL, RECORD, "record where the time goes, on the processor and waiting", NULL},
    {"pages", NULL, RECORD, "record which call stacks touched resident pages first", NULL},
    {"mark", NULL, RECORD, "name this instant in a running recording", NULL},
    {"set", NULL, RECORD, "change what a running recording traces", NULL},

    {"report", cmd_report, NULL, "where the memory or the time went: text, JSON, CSV", "Look"},
    {"explain", cmd_explain, NULL, "the owner of every resident byte", NULL},
    {"map", cmd_map, NULL, "all memory of a running process, by kind of mapping", NULL},
    {"top", NULL, "memoir-top", "a running program, live in the terminal", NULL},
    {"serve", NULL, "memoir-serve", "the web page, the HTTP API and Prometheus metrics", NULL},
    {"flame", cmd_flame, NULL, "a flame graph: interactive SVG, or PNG", NULL},
    {"graph", NULL, "memoir-graph", "a call graph: SVG, HTML, PNG or dot", NULL},
    {"plot", cmd_plot, NULL, "memory over time: SVG or PNG", NULL},
    {"info", cmd_info, NULL, "what a recording contains, and how complete it is", NULL},

    {"diff", cmd_diff, NULL, "what changed between two recordings", "Compare and export"},
    {"history", NULL, "memoir-history", "trends and growth of services over weeks", NULL},
    {"export", cmd_export, NULL, "write a recording in another program's format", NULL},

    {"watch", NULL, CLUSTER, "watch every node: profiles, metrics, blocks, memory", "Cluster"},
    {"ram", NULL, CLUSTER, "memory of each watched node, and what grew", NULL},
    {"bandwidth", NULL, CLUSTER, "bytes in and out per second, by role and message", NULL},
    {"metrics", NULL, CLUSTER, "any metric of the watched nodes: rates, plots, export", NULL},
    {"blocks", NULL, CLUSTER, "every block header of a chain: times, transactions, lag", NULL},
    {"net", NULL, CLUSTER, "private networks of real nodes, on this host or another", NULL},
    {"agreement", NULL, CLUSTER, "agreement events from the logs of many nodes, in order", NULL},
    {"topology", NULL, CLUSTER, "which node is connected to which, from logs", NULL},

    {"doctor", cmd_doctor, NULL, "what works on this machine, and how to get the rest", "Tools"},
    {"agent", NULL, "memoir-agent", "the privileged process that pages and cpu can use", NULL},
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *out)
{
    fputs("memoir shows where the memory and the time of a program went.\n\nUsage: memoir COMMAND "
          "[options] ...\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (commands[i].family)
            fprintf(out, "\n%s\n", commands[i].family);
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].help);
    }
    fputs("\nmemoir COMMAND --help prints all options, with examples.  To begin with:\n  memoir "
          "run -- ./program its arguments\n  memoir report program.*.memoir\n",
          out);
}

static const struct main_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *nearest = commands[0].name;
    for (size_t i = 1; i < COMMAND_COUNT; i++)
        if (nearest_distance(name, commands[i].name) < nearest_distance(name, nearest))
            nearest = commands[i].name;
    if (nearest_is_near(name, nearest_distance(name, nearest)))
        fprintf(stderr, "memoir: there is no command \"%s\", did you mean \"%s\"?\n", name,
                nearest);
    else
        fprintf(stderr, "memoir: there is no command \"%s\": memoir --help lists all commands\n",
                name);
    return 2;
}

/* Libraries that the user preloads into the program to be recorded have no business in our own. */
static void put_preload_aside(void)
{
    for (char **entry = environ; entry && *entry; entry++) {
        char *renamed;
        if (strncmp(*entry, "LD_PRELOAD=", strlen("LD_PRELOAD=")) == 0 &&
            asprintf(&renamed, LAUNCH_PRELOAD "%s", *entry + strlen("LD_PRELOAD")) > 0)
            *entry = renamed;
    }
}

/* Becomes the helper: no shell in between, and nothing of this process is left to wait. */
static int run_helper(const struct main_command *command, char **argv)
{
    char path[PATH_MAX];
    int const err = helper_program_path(command->program, path);
    if (!err) {
        put_preload_aside();
        execv(path, argv);
    }
    fprintf(stderr,
            "memoir %s: cannot start the program %s (%s): install it beside memoir or in "
            "%s\n",
            command->name, command->program, strerror(err ? -err : errno), MEMOIR_LIBEXEC);
    return 1;
}

/* `memoir help report` is `memoir report --help`. */
static int run_help(int argc, char **argv)
{
    static char help_option[] = "--help";
    if (argc < 3) {
        print_help(stdout);
        return 0;
    }
    const struct main_command *command = find_command(argv[2]);
    if (!command)
        return unknown_command(argv[2]);
    char *words[] = {argv[0], argv[2], help_option, NULL};
    return command->run ? command->run(2, words + 1) : run_helper(command, words);
}

/* A pager that quits early is no error; nobody reads what else there would be.  Who else is gone,
 * such as a helper, is found at the write. */
static void end_with_reader(int number)
{
    struct pollfd output = {.fd = STDOUT_FILENO};
    int const before = errno;
    (void)number;
    if (poll(&output, 1, 0) == 1 && output.revents & POLLERR)
        _exit(0);
    errno = before;
}

int main(int argc, char **argv)
{
    terminal_guard();
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("memoir " MEMOIR_VERSION);
        return 0;
    }
    if (strcmp(argv[1], "help") == 0)
        return run_help(argc, argv);
    const struct main_command *command = find_command(argv[1]);
    if (!command)
        return unknown_command(argv[1]);
    if (!command->run)
        return run_helper(command, argv);
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = end_with_reader, .sa_flags = SA_RESTART},
              NULL);
    return command->run(argc - 1, argv + 1);
}
