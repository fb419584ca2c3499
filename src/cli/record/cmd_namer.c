/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_namer.c - `memoir-record namer`: looks up names for a recorder, which sends its questions to
 * standard input. */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/record/record_commands.h"
#include "symbols/namer/namer.h"

int cmd_namer(int argc, char **argv)
{
    int kind = 0;
    socklen_t size = sizeof(kind);
    (void)argv;
    if (argc == 1 && getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 &&
        kind == SOCK_SEQPACKET)
        return namer_run(STDIN_FILENO);
    fprintf(stderr, "memoir-record %s: started by a recorder, with a socket as standard input\n",
            NAMER_COMMAND);
    return 2;
}
