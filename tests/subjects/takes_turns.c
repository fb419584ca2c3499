/* SPDX-License-Identifier: Apache-2.0 */
/* takes_turns THREADS TURNS SMALL: in each turn one of the threads, and no other at that time,
 * has a block of 100,000 bytes and makes and frees SMALL blocks of 32 bytes one after the other.
 * So at most 100,032 bytes of them are live. */
#include <pthread.h>
#include <stdlib.h>

#include "subject.h"

#define LARGE       100000
#define THREADS_MAX 64

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static long turns, small;

static NOINLINE void one_turn(void)
{
    char *volatile large = malloc(LARGE);
    for (long i = 0; i < small; i++) {
        char *volatile block = malloc(32);
        free(block);
    }
    free(large);
    KEEP_FRAME();
}

static void *run_turns(void *unused)
{
    for (long i = 0; i < turns; i++) {
        pthread_mutex_lock(&turn);
        one_turn();
        pthread_mutex_unlock(&turn);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MAX];
    long count = argc > 3 ? atol(argv[1]) : 0;
    if (count < 1 || count > THREADS_MAX)
        return 2;
    turns = atol(argv[2]);
    small = atol(argv[3]);
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_turns, NULL) != 0)
            return 1;
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
