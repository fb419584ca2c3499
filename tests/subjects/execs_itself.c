/* SPDX-License-Identifier: Apache-2.0 */
/* execs_itself TIMES [MICROSECONDS] - has a thread that allocates, becomes itself after a moment
 * (20 ms unless told), and so on as often as it is told; then it ends. */
#include "subject.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *work(void *unused)
{
    for (;;) {
        void *volatile block = malloc(100);
        free(block);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char rest[16];
    int const times = argc > 1 ? atoi(argv[1]) : 0;
    char *const pause = argc > 2 ? argv[2] : "20000";
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    usleep((useconds_t)atoi(pause));
    if (times == 0)
        return 0;
    snprintf(rest, sizeof(rest), "%d", times - 1);
    execl(argv[0], argv[0], rest, pause, (char *)NULL);
    return 1;
}
