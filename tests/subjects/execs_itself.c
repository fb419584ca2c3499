/* SPDX-License-Identifier: Apache-2.0 */
/* Has a thread that allocates, becomes itself after a moment, and so on as often as its argument says; then it ends. */
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
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    usleep(20000);
    if (times == 0)
        return 0;
    snprintf(rest, sizeof(rest), "%d", times - 1);
    execl(argv[0], argv[0], rest, (char *)NULL);
    return 1;
}
