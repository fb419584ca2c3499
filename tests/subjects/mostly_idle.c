/* SPDX-License-Identifier: Apache-2.0 */
/* mostly_idle THREADS SECONDS: each works for about half a millisecond, and then rests for 200. */
#include "subject.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define WORK_NS 500000

static uint64_t used_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static NOINLINE void work(void)
{
    uint64_t const end = used_ns() + WORK_NS;
    while (used_ns() < end)
        KEEP_FRAME();
}

static void *live(void *unused)
{
    (void)unused;
    for (;;) {
        work();
        usleep(200000);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int const threads = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, live, NULL) != 0)
            return 1;
    }
    say("ready\n");
    sleep(argc > 2 ? (unsigned)atoi(argv[2]) : 5);
    return 0;
}
