/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/programs/detach.h"
#include "cli/record/record_commands.h"
#include "cli/record/record_options.h"
#include "inject/choice/target_find.h"

struct detach_options {
    const char *name;
};

static const struct option_rule rules[] = {
    {"--name", "NAME", "the only process of this name", OPTION_TEXT(struct detach_options, name)},
    {.name = NULL}};

int cmd_detach(int argc, char **argv)
{
    char library[PATH_MAX], *end;
    struct detach_options choice = {.name = NULL};
    struct recorder_options options = {.library = NULL};
    struct fault fault = {.text = ""};
    struct option_set const sets[] = {{NULL, rules, &choice}};
    struct command_help const help = {
        .usage = "memoir detach PID",
        .summary = "Ends the recording of a process; the process goes on.  The recorder removes "
                   "its hooks from the process and completes\nthe file.  If the recorder was "
                   "killed, memoir detach removes the hooks.",
        .examples = "  memoir detach 4242\n  memoir detach --name node\n",
        .sets = sets,
        .set_count = 1};
    int status;
    pid_t pid = 0;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words == 1)
        pid = (pid_t)strtol(argv[1], &end, 10);
    if ((words == 1) == (choice.name != NULL) || (words == 1 && (*end || pid <= 0))) {
        fprintf(stderr, "memoir: no process: give one PID, or --name\n");
        return 2;
    }
    int err = choice.name ? target_find(NULL, choice.name, &pid, &fault) : 0;
    if (err == 0 && !record_library(&options, library))
        return 1;
    if (err == 0)
        err = target_detach(pid, library, &fault);
    if (err < 0)
        fprintf(stderr, "memoir: %s\n", fault.text);
    return err < 0 ? 1 : 0;
}
