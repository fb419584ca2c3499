/* SPDX-License-Identifier: Apache-2.0 */
/* tight_memory THREADS [lock]: locks all its memory, present and future, if told to.  Each of
 * THREADS threads, all there at the same time, keeps 100 blocks of 100 bytes from in_thread.
 * Prints its resident and its greatest virtual size in KiB. */
#include "subject.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define THREADS_MAX 64

static pthread_barrier_t all_here;

static NOINLINE void *in_thread(void *arg)
{
    for (int i = 0; i < 100; i++) {
        void *volatile at = malloc(100);
        (void)at;
    }
    pthread_barrier_wait(&all_here);
    pthread_barrier_wait(&all_here);
    return arg;
}

static long kib_of(const char *status, const char *name)
{
    const char *at = strstr(status, name);
    return at ? atol(at + strlen(name)) : -1;
}

static void say_sizes(void)
{
    char status[8192];
    int fd = open("/proc/self/status", O_RDONLY);
    ssize_t size = read(fd, status, sizeof(status) - 1);
    close(fd);
    status[size > 0 ? size : 0] = '\0';
    say("%ld %ld\n", kib_of(status, "VmRSS:"), kib_of(status, "VmPeak:"));
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t running[THREADS_MAX];
    pthread_attr_t small;
    if (threads > THREADS_MAX || pthread_barrier_init(&all_here, NULL, (unsigned)threads + 1) != 0)
        return 1;
    if (argc > 2 && mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
        return 2;
    mallopt(M_ARENA_MAX, 1); /* else each thread takes 128 MiB of address space */
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&running[i], &small, in_thread, NULL) != 0)
            return 3;
    }
    pthread_barrier_wait(&all_here);
    say_sizes();
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < threads; i++)
        pthread_join(running[i], NULL);
    return 0;
}
