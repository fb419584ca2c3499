/* SPDX-License-Identifier: Apache-2.0 */
/* record_main.c - the program memoir-record: all commands that record, which link the libraries for
 * symbols. */
#include <stdio.h>
#include <string.h>

#include "base/terminal.h"
#include "cli/record/record_commands.h"
#include "formats/open/name_lines.h"
#include "serve/content/live_words.h"
#include "symbols/namer/namer.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"run", cmd_run},         {"attach", cmd_attach},    {"detach", cmd_detach},
                {"set", cmd_set},         {"mark", cmd_mark},        {"doctor", cmd_doctor_process},
                {"pages", cmd_pages},     {"cpu", cmd_cpu},          {NAME_COMMAND, cmd_names},
                {LIVE_COMMAND, cmd_live}, {NAMER_COMMAND, cmd_namer}};

int main(int argc, char **argv)
{
    terminal_guard();
    for (size_t i = 0; argc >= 2 && i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "memoir-record: a part of memoir; use `memoir run`\n");
    return 2;
}
