/* SPDX-License-Identifier: Apache-2.0 */
/* memory_of_every_kind.c - memory of every kind, each of a size of its own, and then nothing
 * happens. Prints where it put what, "ready", and waits for the end of its input. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "memoir.h"
#include "subject.h"

#define MIB        ((size_t)1 << 20)
#define READ_WRITE (PROT_READ | PROT_WRITE)

static pthread_barrier_t settled;

/* Far from other mappings of its kind, so that they do not become one: a page without rights on
 * both sides. */
static char *map_apart(size_t size, int rights, int flags, int fd)
{
    size_t const page = 4096;
    char *place =
        mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *made = mmap(place + page, size, rights, flags | MAP_FIXED, fd, 0);
    if (made == MAP_FAILED)
        _exit(98);
    return made;
}

static char *map_touched(size_t size, int rights)
{
    char *made = map_apart(size, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memset(made, 1, size);
    mprotect(made, size, rights);
    return made;
}

static void map_file(const char *path, size_t size)
{
    int const fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
        _exit(97);
    memset(map_apart(size, READ_WRITE, MAP_SHARED, fd), 1, size);
    close(fd);
}

/* 3 MiB of stack, and 5 MiB of small blocks in an arena of its own. */
static void *eat(void *unused)
{
    char stack[3 * MIB];
    memset(stack, 1, sizeof(stack));
    KEEP_FRAME();
    for (size_t i = 0; i < 5 * MIB / 1024; i++) {
        char *block = malloc(1024 - 16);
        memset(block, 1, 1024 - 16);
    }
    pthread_barrier_wait(&settled);
    pause();
    say("%d", stack[5]);
    return unused;
}

int main(int argc, char **argv)
{
    char path[512];
    pthread_t thread;
    const char *folder = argc > 1 ? argv[1] : "/tmp";
    char *cache = map_touched(9 * MIB, READ_WRITE);
    memoir_region(cache, 4 * MIB, "cache/told");
    map_touched(11 * MIB, PROT_READ);
    map_touched(13 * MIB, PROT_NONE);
    map_touched(2 * MIB, PROT_READ | PROT_WRITE | PROT_EXEC);
    madvise(map_touched(6 * MIB, READ_WRITE), 6 * MIB, MADV_FREE);
    int const fd = memfd_create("ring-7", MFD_CLOEXEC);
    if (ftruncate(fd, 7 * MIB) < 0)
        return 1;
    memset(map_apart(7 * MIB, READ_WRITE, MAP_SHARED, fd), 1, 7 * MIB);
    memset(map_apart(8 * MIB, READ_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1), 1, 8 * MIB);
    snprintf(path, sizeof(path), "%s/chain.mdb", folder);
    map_file(path, 10 * MIB);
    snprintf(path, sizeof(path), "%s/library of things", folder);
    map_file(path, 12 * MIB);
    char *large = malloc(17 * MIB);
    memset(large, 1, 17 * MIB);
    pthread_barrier_init(&settled, NULL, 2);
    pthread_create(&thread, NULL, eat, NULL);
    pthread_setname_np(thread, "eater-1");
    pthread_barrier_wait(&settled);
    say("cache %p\nlarge %p\nready\n", (void *)cache, (void *)large);
    char byte;
    while (read(0, &byte, 1) > 0)
        ;
    return 0;
}
