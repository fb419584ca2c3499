/* THREADS that work and wait in turns for about SECONDS, when a line comes on standard input:
 * long waits, waits of a few microseconds, and turns given up.  Each says what it did since it
 * was made: TID WALL_NS CPU_NS; what it did not work, it waited. works_and_waits THREADS SECONDS */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t seconds;

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static void burn(uint64_t ns)
{
    uint64_t const end = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        for (volatile int i = 0; i < 1000; i++)
            ;
}

__attribute__((noinline)) static void rest(long ns)
{
    struct timespec const time = {0, ns};
    nanosleep(&time, NULL);
}

static uint64_t made_ns[256];

static void *work(void *number)
{
    int const own = (int)(intptr_t)number;
    uint64_t const end = made_ns[own] + seconds * 1000000000u;
    char name[16];
    snprintf(name, sizeof(name), "worker-%d", own);
    prctl(PR_SET_NAME, name);
    while (now_ns(CLOCK_MONOTONIC) < end) {
        burn(3000000);
        rest(4000000);
        /* Few: the kernel adds the time to leave idling, some microseconds, to what a thread
         * worked. */
        for (int i = 0; i < 3; i++) {
            rest(1000);
            sched_yield();
        }
    }
    printf("%ld %llu %llu\n", syscall(SYS_gettid),
           (unsigned long long)(now_ns(CLOCK_MONOTONIC) - made_ns[own]),
           (unsigned long long)now_ns(CLOCK_THREAD_CPUTIME_ID));
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int const count = atoi(argv[1]);
    pthread_t threads[256];
    seconds = (uint64_t)atoi(argv[2]);
    if (count > 256 || getchar() == EOF)
        return 2;
    for (int i = 0; i < count; i++) {
        made_ns[i] = now_ns(CLOCK_MONOTONIC);
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
