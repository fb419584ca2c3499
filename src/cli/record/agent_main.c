/* SPDX-License-Identifier: Apache-2.0 */
/* agent_main.c - the program memoir-agent, `memoir agent`: the only part of memoir that must have
 * privileges. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent_server.h"
#include "agent/agent_privileges.h"
#include "base/terminal.h"
#include "cli/shared/options.h"
#include "wire/agent.h"

static int handle_proc(void *into, const char *name, const char *value, struct fault *fault)
{
    if (value[0] != '/' || strlen(value) > 3000)
        return fault_set(fault, -EINVAL, "%s cannot be \"%.80s\": give a folder, from / on", name,
                         value);
    ((struct agent_options *)into)->proc = value;
    return 0;
}

static const struct option_rule rules[] = {
    {"--socket", "PATH", "socket for recorders (default " AGENT_SOCKET_PATH ")",
     OPTION_TEXT(struct agent_options, socket)},
    {"--group", "NAME", "also serve users of this group, each for their own processes",
     OPTION_TEXT(struct agent_options, group)},
    {"--user", "NAME",
     "user that the agent becomes once it serves (default memoir-agent, if there)",
     OPTION_TEXT(struct agent_options, user)},
    {"--proc", "DIR", "where the machine's /proc is mounted, if not at /proc",
     OPTION_CALLBACK(handle_proc)},
    {.name = NULL},
};

static void say_ready(const struct agent_options *options, const char *no_time)
{
    if (no_time[0])
        fprintf(stderr, "memoir agent: without samples and waits: %s\n", no_time);
    fprintf(stderr, "memoir agent: ready at %s%s%s\n", options->socket,
            options->group ? ", also for the group " : "", options->group ? options->group : "");
}

int main(int argc, char **argv)
{
    struct agent_options options = {
        .socket = AGENT_SOCKET_PATH, .proc = "/proc", .ready = say_ready};
    const struct option_set sets[] = {{NULL, rules, &options}};
    const struct command_help help = {
        .usage = "memoir agent [--socket PATH] [--group NAME] [--user NAME] [--proc DIR]",
        .summary =
            "The privileged part of memoir: receives page faults, page cache events, samples and "
            "waits from small BPF programs, and\ntells each recorder about the processes that its "
            "user may trace, and no others.  Runs until it is ended.",
        .examples =
            "  sudo memoir agent                      # for root only\n"
            "  sudo memoir agent --group memoir       # and for the users of a group\n"
            "  memoir pages 1234                      # then, as the user of that process\n",
        .sets = sets,
        .set_count = 1,
    };
    struct fault fault = {0};
    terminal_guard();
    int const skip = argc >= 2 && strcmp(argv[1], "agent") == 0; /* as `memoir` starts it */
    int status, words = command_words(argc - skip, argv + skip, &help, &status);
    if (words < 0)
        return status;
    if (words > 0) {
        fprintf(stderr, "memoir agent: takes no argument \"%s\"; see memoir agent --help\n",
                argv[1 + skip]);
        return 2;
    }
    if (!options.user && geteuid() == 0 && getpwnam(AGENT_USER))
        options.user = AGENT_USER;
    if (agent_check_privileges(&fault) == 0 && agent_serve(&options, &fault) == 0)
        return 0;
    return command_failed("agent", &fault);
}
