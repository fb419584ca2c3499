/* SPDX-License-Identifier: Apache-2.0 */
/* pools - a program with allocators of its own.  Every number is known:
 *
 *   stream    a bump pool in one malloc of 1 MiB; 10 rounds of 100 blocks of 64 bytes, reset
 *             after each,
 *             by one thread after the other; then 7 blocks of 1000 that stay
 *   slab      blocks given back one by one: 50 of 128 bytes, 20 freed, 10 resized in place to 96
 *   brief     5 pools on the stack, one after the other in the same place, 3 blocks of 10 each,
 *             destroyed
 *   no pool   an allocator on top of mmap: 4 blocks of 4096, one freed, one moved and then 8192
 *   regions   the mapping under it is called "table"; its second half is renamed "index", then
 *             nothing
 *
 * The heap: one block of 1 MiB, freed at the end.  `pools shared` lets four threads use a pool
 * together: 4 x 1000 blocks of 32, of which each thread frees the blocks of the next one's first
 * half. */
#include "memoir.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "subject.h"

#define ARENA_BYTES (1u << 20)

struct stream {
    struct memoir_pool pool;
    char *memory;
    size_t used;
};

static struct stream stream = {.pool = MEMOIR_POOL("stream")};
static struct memoir_pool slab; /* named later */

static NOINLINE void *stream_alloc(size_t size)
{
    void *block = stream.memory + stream.used;
    stream.used += size;
    memoir_pool_alloc(&stream.pool, block, size);
    return block;
}

static NOINLINE void stream_empty(void)
{
    memoir_pool_reset(&stream.pool);
    stream.used = 0;
}

static NOINLINE void *fill_stream_here(void *unused)
{
    for (int i = 0; i < 100; i++)
        stream_alloc(64);
    KEEP_FRAME();
    return unused;
}

static NOINLINE void stay_here(void)
{
    for (int i = 0; i < 7; i++)
        stream_alloc(1000);
    KEEP_FRAME();
}

static NOINLINE void run_stream(void)
{
    pthread_t thread;
    for (int round = 0; round < 10; round++) {
        if (round % 2)
            fill_stream_here(NULL);
        else if (pthread_create(&thread, NULL, fill_stream_here, NULL) != 0 ||
                 pthread_join(thread, NULL) != 0)
            _exit(98);
        stream_empty();
    }
    stay_here();
}

static NOINLINE void slab_here(void)
{
    char *blocks[50];
    memoir_pool_create(&slab, "slab");
    for (int i = 0; i < 50; i++)
        memoir_pool_alloc(&slab, blocks[i] = stream.memory + 500000 + 128 * i, 128);
    for (int i = 0; i < 20; i++)
        memoir_pool_free(&slab, blocks[i]);
    for (int i = 20; i < 30; i++)
        memoir_pool_realloc(&slab, blocks[i], blocks[i], 96);
}

static NOINLINE void brief_here(void)
{
    struct memoir_pool brief = MEMOIR_POOL("brief");
    for (int i = 0; i < 3; i++)
        memoir_pool_alloc(&brief, stream.memory + 900001 + 10 * i, 10); /* byte by byte */
    memoir_pool_destroy(&brief);
}

static NOINLINE void own_allocator_here(void)
{
    char *memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memoir_region(memory, 65536, "table");
    for (int i = 0; i < 4; i++)
        memoir_alloc(memory + 8192 * i, 4096);
    memoir_free(memory);
    memoir_realloc(memory + 8192, memory + 40000, 8192);
    memoir_region(memory + 32768, 32768, "index");
    memoir_region_end(memory + 32768, 32768);
}

static struct memoir_pool common = MEMOIR_POOL("common");
static char common_memory[4][1000][32];
static pthread_barrier_t barrier;

static NOINLINE void *share_here(void *number)
{
    size_t me = (size_t)number, next = (me + 1) % 4;
    for (int i = 0; i < 1000; i++)
        memoir_pool_alloc(&common, common_memory[me][i], 32);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 500; i++)
        memoir_pool_free(&common, common_memory[next][i]);
    return NULL;
}

static void share(void)
{
    pthread_t threads[4];
    pthread_barrier_init(&barrier, NULL, 4);
    for (size_t i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, share_here, (void *)i) != 0)
            _exit(98);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "shared") == 0) {
        share();
        return 0;
    }
    stream.memory = malloc(ARENA_BYTES);
    run_stream();
    slab_here();
    for (int i = 0; i < 5; i++)
        brief_here();
    own_allocator_here();
    say("memoir is %s\n", memoir_is_there() ? "there" : "not there");
    free(stream.memory);
    return 0;
}
