/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads, each with an arena of its own, fill 8 MiB of it and free all but the last block,
 * below which the arena keeps every page.  Then all wait. */
#include "subject.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define BLOCKS  8192
#define SIZE    1000

static pthread_barrier_t barrier;

static NOINLINE void *last_block(void)
{
    void *at = malloc(SIZE);
    KEEP_FRAME();
    return at;
}

static void *hoard(void *ignored)
{
    void **blocks = malloc(BLOCKS * sizeof(void *));
    pthread_barrier_wait(&barrier); /* so that no two share an arena */
    for (int i = 0; i < BLOCKS; i++)
        memset(blocks[i] = malloc(SIZE), 1, SIZE);
    void *volatile last = last_block();
    (void)last;
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    free(blocks);
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return ignored;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, hoard, NULL) != 0)
            return 1;
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    say("ready\n");
    for (;;)
        pause();
}
