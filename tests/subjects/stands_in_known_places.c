/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that stand where their names say: one waits for a lock, one sleeps, one reads a pipe,
 * one works, three wait for an event.  Prints "ready", and ends when killed. */
#include "subject.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long work;

static NOINLINE void *waits_for_lock(void *unused)
{
    pthread_mutex_lock(&lock);
    return unused;
}

static NOINLINE void *sleeps_long(void *unused)
{
    struct timespec const nap = {100000, 0};
    nanosleep(&nap, NULL);
    return unused;
}

static NOINLINE void *reads_pipe(void *unused)
{
    int ends[2];
    char byte;
    if (pipe(ends) == 0 && read(ends[0], &byte, 1) == 1)
        say("read\n");
    return unused;
}

static NOINLINE void *works_on(void *unused)
{
    for (;;)
        work++;
    return unused;
}

static NOINLINE void *waits_for_event(void *unused)
{
    struct epoll_event event;
    epoll_wait(epoll_create1(0), &event, 1, -1);
    return unused;
}

int main(void)
{
    static const struct {
        void *(*run)(void *);
        const char *name;
    } threads[] = {{waits_for_lock, "locker"},  {sleeps_long, "sleeper"},
                   {reads_pipe, "reader"},      {works_on, "worker"},
                   {waits_for_event, "events"}, {waits_for_event, "events"},
                   {waits_for_event, "events"}};
    pthread_t thread;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        pthread_create(&thread, NULL, threads[i].run, NULL);
        pthread_setname_np(thread, threads[i].name);
    }
    say("ready\n");
    pthread_join(thread, NULL);
}
