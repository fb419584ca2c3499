/* SPDX-License-Identifier: Apache-2.0 */
/* execs_early TIMES - becomes itself again and again before its main begins, where the loader is
 * at work; then it rests. */
#include "subject.h"

#include <stdlib.h>
#include <unistd.h>

static void become_itself(int argc, char **argv, char **unused)
{
    char rest[16];
    (void)unused;
    int const times = argc > 1 ? atoi(argv[1]) : 0;
    usleep(1000);
    if (times == 0)
        return;
    snprintf(rest, sizeof(rest), "%d", times - 1);
    execl(argv[0], argv[0], rest, (char *)NULL);
    _exit(1);
}

/* Which the loader itself calls; constructors of the executable are called by libc. */
__attribute__((section(".preinit_array"),
               used)) static void (*const early)(int, char **, char **) = become_itself;

int main(void)
{
    say("ready\n");
    for (;;)
        pause();
}
