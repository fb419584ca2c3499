/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_main.c - `memoir-cluster`: the commands about many nodes, which link libcurl, libyaml
 * and SQLite. */
#include <stdio.h>
#include <string.h>

#include "base/terminal.h"
#include "cli/cluster/cluster_commands.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"watch", cmd_watch},         {"ram", cmd_ram},
                {"bandwidth", cmd_bandwidth}, {"metrics", cmd_metrics},
                {"blocks", cmd_blocks},       {"net", cmd_net},
                {"agreement", cmd_agreement}, {"topology", cmd_topology}};

int main(int argc, char **argv)
{
    terminal_guard();
    for (size_t i = 0; argc >= 2 && i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "memoir-cluster: a part of memoir; use `memoir watch`\n");
    return 2;
}
