/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads allocate, resize and free with jemalloc under a prefix, as fast as they can, and
 * look after what is in their blocks; until SIGTERM. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../subject.h"

#define THREADS 4
#define BLOCKS  128

void *_rjem_malloc(size_t size);
void *_rjem_rallocx(void *block, size_t size, int flags);
void _rjem_sdallocx(void *block, size_t size, int flags);

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

struct block {
    unsigned char *at;
    size_t size;
};

static void let_go(struct block *block, unsigned char mark)
{
    if (!block->at)
        return;
    if (block->at[0] != mark || block->at[block->size - 1] != mark)
        _exit(50);
    _rjem_sdallocx(block->at, block->size, 0);
    block->at = NULL;
}

NOINLINE static void allocate(struct block *block, size_t size, unsigned char mark)
{
    block->at = _rjem_malloc(size);
    block->size = size;
    memset(block->at, mark, size);
}

NOINLINE static void resize(struct block *block, size_t size, unsigned char mark)
{
    block->at = _rjem_rallocx(block->at, size, 0);
    block->size = size;
    memset(block->at, mark, size);
}

static void *work(void *number)
{
    struct block blocks[BLOCKS] = {0};
    unsigned char mark = (unsigned char)(uintptr_t)number;
    unsigned random = mark;
    while (!stop) {
        random = random * 1103515245 + 12345;
        struct block *block = &blocks[random / 65536 % BLOCKS];
        let_go(block, mark);
        allocate(block, random / 65536 % 3000 + 1, mark);
        if (random / 65536 % 7 == 0)
            resize(block, block->size * 2, mark);
    }
    for (int i = 0; i < BLOCKS; i++)
        let_go(&blocks[i], mark);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    signal(SIGTERM, on_signal);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    say("fine\n");
    return 0;
}
