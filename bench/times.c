/* times.c - what it costs a program that its time is watched, by its own CPU time, under so many
 * frames:
 *   times work ROUNDS FRAMES      ns per unit of work, which is the same each time
 *   times switch ROUNDS FRAMES    ns per switch between two threads on one processor that wait
 *                                 for each other */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNITS    20000
#define SWITCHES 100000

static int there[2], back[2];

static double used_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static __attribute__((noinline)) void work(void)
{
    for (volatile long i = 0; i < UNITS * 2000L; i++)
        ;
}

static __attribute__((noinline)) void pass(void)
{
    char byte = 0;
    for (int i = 0; i < SWITCHES / 2; i++)
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            abort();
}

static __attribute__((noinline)) void descend(int frames, void (*inner)(void))
{
    if (frames <= 0)
        inner();
    else
        descend(frames - 1, inner);
    __asm__ volatile("" ::: "memory"); /* no tail call */
}

static __attribute__((noinline)) void answer(void)
{
    char byte;
    while (read(there[0], &byte, 1) == 1)
        if (write(back[1], &byte, 1) != 1)
            abort();
}

static int depth;
static void *other(void *unused)
{
    (void)unused;
    descend(depth, answer);
    return NULL;
}

static void work_rounds(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        double const began = used_ns(CLOCK_THREAD_CPUTIME_ID);
        descend(depth, work);
        printf("%.1f\n", (used_ns(CLOCK_THREAD_CPUTIME_ID) - began) / UNITS);
    }
}

static void switch_rounds(int rounds)
{
    pthread_t thread;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof(one), &one);
    if (pipe(there) < 0 || pipe(back) < 0 || pthread_create(&thread, NULL, other, NULL))
        abort();
    for (int i = 0; i < rounds; i++) {
        double const began = used_ns(CLOCK_PROCESS_CPUTIME_ID);
        descend(depth, pass);
        printf("%.1f\n", (used_ns(CLOCK_PROCESS_CPUTIME_ID) - began) / SWITCHES);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    depth = atoi(argv[3]) - 4; /* with main, _start and two of libc's */
    if (strcmp(argv[1], "work") == 0)
        work_rounds(atoi(argv[2]));
    else
        switch_rounds(atoi(argv[2]));
    return 0;
}
