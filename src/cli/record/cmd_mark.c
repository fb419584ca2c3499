/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_mark.c - `memoir mark`: names an instant, or a phase, in a recording that is being
 * written. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "capture/sessions/control.h"
#include "cli/shared/options.h"
#include "cli/shared/parse_pid.h"
#include "cli/record/record_commands.h"
#include "model/mark.h"

#define TEXT_MAX 128 /* as in memoir.h */

struct mark_options {
    enum mark_kind kind;
};

static const struct option_rule rules[] = {{"--begin", NULL, "a phase of this name begins",
                                            OPTION_VALUE(struct mark_options, kind, MARK_BEGIN)},
                                           {"--end", NULL,
                                            "the newest open phase of this name ends",
                                            OPTION_VALUE(struct mark_options, kind, MARK_END)},
                                           {.name = NULL}};

int cmd_mark(int argc, char **argv)
{
    struct mark_options options = {.kind = MARK_INSTANT};
    struct option_set const sets[] = {{NULL, rules, &options}};
    struct command_help const help = {
        .usage = "memoir mark PID TEXT [--begin|--end]",
        .summary =
            "Gives this instant a name in a running recording: reports and plots can be split at "
            "the mark,\nas at the marks that a program sets itself (memoir.h).",
        .examples = "  memoir mark 4711 \"load test begins\"\n"
                    "  memoir mark 4711 \"load test\" --begin\n"
                    "  memoir report node.4711.memoir --between 'mark:load test begins,end'\n",
        .sets = sets,
        .set_count = 1};
    int status, words = command_words(argc, argv, &help, &status);
    struct fault fault = {0};
    char request[CONTROL_TEXT_MAX];
    pid_t pid;
    if (words < 0)
        return status;
    if (words != 2 || parse_pid(argv[1], &pid) < 0) {
        fprintf(stderr, "memoir: no PID and text, as in: memoir mark PID \"load test begins\"\n");
        return 2;
    }
    if (argv[2][0] == '\0' || strlen(argv[2]) > TEXT_MAX || strpbrk(argv[2], "\r\n")) {
        fprintf(stderr, "memoir: a mark is one line of 1 to %d bytes\n", TEXT_MAX);
        return 2;
    }
    snprintf(request, sizeof(request), "mark %d %s", (int)options.kind, argv[2]);
    if (control_ask(pid, request, &fault) < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        return 1;
    }
    return 0;
}
