/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"
int cmd_info(int argc, char **argv)
{
    (void)argc, (void)argv;
    return 1;
}
