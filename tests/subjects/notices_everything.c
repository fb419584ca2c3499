/* SPDX-License-Identifier: Apache-2.0 */
/* notices_everything SECONDS - threads that check, all the time, what somebody who borrows a
 * thread could get wrong: registers, vectors, errno, the signal mask, and results of system
 * calls that are interrupted.  Prints "ready" first, "unharmed" at the end, which SIGTERM brings
 * about sooner; aborts with a word on what was wrong.  Meanwhile two threads allocate. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "subject.h"

static atomic_bool over;
static atomic_long handled;
static int letters[2];

static void wrong(const char *what, long value)
{
    say("wrong: %s %ld, errno %d\n", what, value, errno);
    abort();
}

static void *calculates(void *unused)
{
    double first = 0;
    while (!over) {
        double values[16], sum = 0;
        for (int i = 0; i < 16; i++)
            values[i] = i * 1.5;
        for (int k = 0; k < 20000; k++)
            for (int i = 0; i < 16; i++)
                values[i] = values[i] * 0.5 + k;
        for (int i = 0; i < 16; i++)
            sum += values[i];
        if (first != 0 && sum != first)
            wrong("sum", (long)sum);
        first = sum;
    }
    return unused;
}

static void *sleeps(void *unused)
{
    while (!over) {
        struct timespec nap = {0, 3000000};
        if (nanosleep(&nap, NULL) != 0)
            wrong("nanosleep", -1);
    }
    return unused;
}

static void *polls(void *unused)
{
    while (!over) {
        int got = poll(NULL, 0, 4);
        if (got != 0)
            wrong("poll", got);
    }
    return unused;
}

static void *waits_for_events(void *unused)
{
    int fd = epoll_create1(0);
    struct epoll_event event;
    while (!over) {
        int got = epoll_wait(fd, &event, 1, 5);
        if (got != 0)
            wrong("epoll_wait", got);
    }
    return unused;
}

static void *reads(void *unused)
{
    while (!over) {
        char letter = 0;
        ssize_t got = read(letters[0], &letter, 1);
        if (got != 1 || letter != 'y')
            wrong("read", got);
    }
    return unused;
}

static void *writes(void *unused)
{
    while (!over) {
        struct timespec nap = {0, 700000};
        ssize_t put = write(letters[1], "y", 1);
        if (put != 1)
            wrong("write", put);
        nanosleep(&nap, NULL);
    }
    return unused;
}

static void *allocates(void *unused)
{
    char *blocks[64] = {NULL};
    unsigned dice = 1;
    while (!over) {
        dice = dice * 1103515245 + 12345;
        unsigned which = dice >> 16 & 63, size = dice >> 8 & 2047;
        if (blocks[which] && blocks[which][0] != (char)which)
            wrong("block", which);
        free(blocks[which]);
        blocks[which] = malloc(size + 1);
        memset(blocks[which], (int)which, size + 1);
    }
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
    return unused;
}

static void *keeps_errno(void *unused)
{
    while (!over) {
        errno = 0;
        if (read(-1, NULL, 0) != -1)
            wrong("read of nothing", 0);
        for (volatile int i = 0; i < 1000;)
            i = i + 1;
        if (errno != EBADF)
            wrong("errno", errno);
    }
    return unused;
}

static void on_signal(int number)
{
    (void)number;
    handled++;
}

static void on_end(int number)
{
    (void)number;
    over = true;
}

static void *suspends(void *unused)
{
    sigset_t all, mask, now, but_one;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    but_one = all;
    sigdelset(&but_one, SIGUSR1);
    while (!over) {
        long before = handled;
        pthread_kill(pthread_self(), SIGUSR1);
        sigsuspend(&but_one);
        if (handled != before + 1)
            wrong("signals", handled - before);
        pthread_sigmask(SIG_BLOCK, NULL, &now);
        for (int number = 1; number < 64; number++)
            if (sigismember(&now, number) != sigismember(&mask, number))
                wrong("mask", number);
    }
    return unused;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn;

static void *run_turns(void *own)
{
    while (!over) {
        pthread_mutex_lock(&lock);
        while (turn % 2 != (own != NULL) && !over) {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 60;
            int err = pthread_cond_timedwait(&changed, &lock, &until);
            if (err != 0)
                wrong("turn", err);
        }
        turn++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
        struct timespec nap = {0, 200000};
        nanosleep(&nap, NULL);
    }
    return own;
}

int main(int argc, char **argv)
{
    void *(*const bodies[])(void *) = {calculates,  sleeps,   polls,     waits_for_events,
                                       reads,       writes,   allocates, allocates,
                                       keeps_errno, suspends, run_turns, run_turns};
    pthread_t thread;
    sigset_t one, end;
    int seconds = argc > 1 ? atoi(argv[1]) : 10;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigemptyset(&end);
    sigaddset(&end, SIGTERM); /* for the main thread alone */
    sigprocmask(SIG_BLOCK, &one, NULL);
    sigprocmask(SIG_BLOCK, &end, NULL);
    signal(SIGUSR1, on_signal);
    signal(SIGTERM, on_end);
    if (pipe(letters) < 0)
        return 1;
    size_t const count = sizeof(bodies) / sizeof(bodies[0]);
    for (size_t i = 0; i < count; i++)
        if (pthread_create(&thread, NULL, bodies[i], i + 1 == count ? &lock : NULL) != 0)
            return 1;
    say("ready\n");
    pthread_sigmask(SIG_UNBLOCK, &end, NULL);
    for (int i = 0; i < 4 * seconds && !over; i++) {
        struct timespec quarter = {0, 250000000};
        if (nanosleep(&quarter, NULL) != 0 && !over)
            wrong("main's nanosleep", -1);
    }
    say("unharmed\n");
    _exit(0);
}
