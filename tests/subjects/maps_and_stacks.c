/* SPDX-License-Identifier: Apache-2.0 */
/* Memory without malloc: 16 MiB mapped of which 6 are touched, 8 MiB mapped elsewhere and
 * touched, of which 2 are unmapped again, a file of 5 MiB mapped and read, 4 MiB of memory
 * shared with nobody yet, a file of one page mapped to be written with 2 MiB mapped right behind
 * it, and two threads that have 1 MiB and 3 MiB on their stacks.  Then all wait. */
#include "subject.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define MIB (1ul << 20)

static pthread_barrier_t barrier;

static NOINLINE char *map_anonymous(unsigned long size)
{
    char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    KEEP_FRAME();
    return at;
}

static NOINLINE void sparse_cache(void)
{
    memset(map_anonymous(16 * MIB), 1, 6 * MIB);
    KEEP_FRAME();
}

static NOINLINE void cut_cache(void)
{
    char *at = map_anonymous(8 * MIB);
    memset(at, 1, 8 * MIB);
    munmap(at + 3 * MIB, 2 * MIB);
    KEEP_FRAME();
}

static int read_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, 5 * MIB) < 0)
        return 1;
    char *at = mmap(NULL, 5 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return 1;
    memset(at, 1, 5 * MIB);
    return 0;
}

static NOINLINE void share(void)
{
    char *at = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(at, 1, 4 * MIB);
    KEEP_FRAME();
}

/* As if it were what a library leaves to be filled with zeros. */
static NOINLINE void follow_file(const char *path)
{
    int fd = open(path, O_RDWR);
    char *at = map_anonymous(2 * MIB + 4096);
    mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0);
    memset(at + 4096, 1, 2 * MIB);
    close(fd);
    KEEP_FRAME();
}

static void *eat(void *amount)
{
    unsigned long size = (unsigned long)amount;
    volatile char *room = __builtin_alloca(size);
    for (unsigned long i = 0; i < size; i += 512)
        room[i] = 1;
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return amount;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 3);
    sparse_cache();
    cut_cache();
    share();
    if (argc != 2 || read_file(argv[1]) != 0)
        return 1;
    follow_file(argv[1]);
    if (pthread_create(&thread, NULL, eat, (void *)MIB) != 0 ||
        pthread_create(&thread, NULL, eat, (void *)(3 * MIB)) != 0)
        return 1;
    pthread_barrier_wait(&barrier);
    say("ready\n");
    for (;;)
        pause();
}
