/* SPDX-License-Identifier: Apache-2.0 */
/* record_main.c - `memoir-record`: the commands that record, and so link the symbol libraries. */
#include <stdio.h>
#include <string.h>

#include "cli/name_lines.h"
#include "cli/record_commands.h"

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "run") == 0)
        return cmd_run(argc - 1, argv + 1);
    if (argc >= 2 && strcmp(argv[1], "set") == 0)
        return cmd_set(argc - 1, argv + 1);
    if (argc >= 2 && strcmp(argv[1], NAME_COMMAND) == 0)
        return cmd_names(argc - 1, argv + 1);
    fprintf(stderr, "memoir-record: a part of memoir; use `memoir run`\n");
    return 2;
}
