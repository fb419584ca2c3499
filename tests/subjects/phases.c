/* SPDX-License-Identifier: Apache-2.0 */
/* phases - a program that says what it is doing.  Every number between two marks is known:
 *
 *   before     5 blocks of 1000 that stay
 *   block 1    10 blocks of 100 that stay
 *   block 2    20 blocks of 100, 5 of them freed
 *   block 3    the 15 that are left are freed; phase "compaction" (twice): 3 blocks of 64 made
 *              and freed
 *   rounds     mark "round N" for N = 1 to 50, and in each round four threads make N blocks of
 *              16 each and free
 *              those of the round before; each mark is set while they wait for each other
 *   end        after all threads are gone
 *
 * `phases busy`: 400 rounds, in each of which every thread makes and frees 200 blocks more.
 * `phases many` sets 100000 marks. */
#include "memoir.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "subject.h"

#define ROUNDS  50
#define BUSY    400
#define MORE    200
#define THREADS 4

static pthread_barrier_t barrier;
static void *kept[100];
static int rounds = ROUNDS, more;

static NOINLINE void before_here(void)
{
    for (int i = 0; i < 5; i++)
        kept[i] = malloc(1000);
    KEEP_FRAME();
}

static NOINLINE void stay_here(int count, size_t at)
{
    for (int i = 0; i < count; i++)
        kept[at + (size_t)i] = malloc(100);
    KEEP_FRAME();
}

static NOINLINE void compact_here(void)
{
    memoir_phase_begin("compaction");
    for (int i = 0; i < 3; i++) {
        char *volatile block = malloc(64);
        free(block);
    }
    memoir_phase_end("compaction");
}

static NOINLINE void work_here(void **blocks, int count)
{
    for (int i = 0; i < count; i++)
        blocks[i] = malloc(16);
    KEEP_FRAME();
}

static void *work(void *unused)
{
    void *blocks[2][BUSY];
    for (int round = 1; round <= rounds; round++) {
        pthread_barrier_wait(&barrier); /* all is done ... */
        pthread_barrier_wait(&barrier); /* ... and marked */
        work_here(blocks[round % 2], round);
        for (int i = 0; i < round - 1; i++)
            free(blocks[(round + 1) % 2][i]);
        for (int i = 0; i < more; i++) {
            char *volatile block = malloc(32 + (size_t)i);
            free(block);
        }
    }
    return unused;
}

static void run_rounds(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            _exit(98);
    for (int round = 1; round <= rounds; round++) {
        pthread_barrier_wait(&barrier);
        memoir_mark_number("round", round);
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "many") == 0) {
        for (int i = 0; i < 100000; i++)
            memoir_mark_number("mark", i);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "busy") == 0) {
        rounds = BUSY;
        more = MORE;
    }
    before_here();
    memoir_mark_number("block", 1);
    stay_here(10, 5);
    memoir_mark_number("block", 2);
    stay_here(20, 15);
    for (int i = 15; i < 20; i++)
        free(kept[i]);
    memoir_mark_number("block", 3);
    for (int i = 20; i < 35; i++)
        free(kept[i]);
    compact_here();
    compact_here();
    run_rounds();
    memoir_mark("end, of all");
    return 0;
}
