/* SPDX-License-Identifier: Apache-2.0 */
/* net_down.c - `memoir net down`: ends a network. */
#include <stdio.h>

#include "cli/net/net_commands.h"
#include "cli/net/net_record.h"
#include "cli/shared/options.h"
#include "nets/down.h"

int net_down(int argc, char **argv)
{
    struct command_help const help = {
        .usage = "memoir net down DIR",
        .summary =
            "Ends the network in this folder: load, then the watch, then the nodes in reverse "
            "order, each by\nSIGTERM and after 10 s by SIGKILL.  Also works when the keeper was "
            "killed.  Recordings stay;\ndata stays for the next memoir net up, unless the network "
            "was started with --fresh.",
        .examples = "  memoir net down D\n"};
    struct fault fault = {0};
    struct net net = {0};
    int status, words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words != 1)
        return command_misused("net down", "no folder, as in: memoir net down D");
    if (net_bring_down(argv[1], &net, net_say, &fault) != 0)
        return net_sorry(&fault);
    vec_each (part, &net.parts)
        if (part->state == PART_CRASHED)
            printf("%s had crashed: %s\n", part->name, part->why ? part->why : "");
    printf("%s in %s is down\n", net.template_name, argv[1]);
    net_draw(&net);
    net_fini(&net);
    return 0;
}
