/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "cli/cluster_commands.h"

int cmd_net(int argc, char **argv)
{
    (void)argc;
    fprintf(stderr, "memoir %s: not built yet\n", argv[0]);
    return 1;
}
