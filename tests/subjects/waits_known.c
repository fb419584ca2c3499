/* SPDX-License-Identifier: Apache-2.0 */
/* waits_known ROUNDS: waits in six ways, some milliseconds each time, and tells how many ns each
 * took by the clock. */
#include "cpu_subject.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>

static int to_pipe[2], to_socket[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void nap(unsigned ms)
{
    struct timespec const time = {.tv_nsec = (long)ms * 1000000};
    nanosleep(&time, NULL);
}

static NOINLINE void sleeps(void)
{
    nap(7);
    KEEP_FRAME();
}

static NOINLINE void polls(void)
{
    poll(NULL, 0, 5);
    KEEP_FRAME();
}

static NOINLINE void reads_pipe(void)
{
    char byte;
    if (read(to_pipe[0], &byte, 1) != 1)
        _exit(1);
    KEEP_FRAME();
}

static NOINLINE void reads_socket(void)
{
    char byte;
    if (read(to_socket[0], &byte, 1) != 1)
        _exit(1);
    KEEP_FRAME();
}

static NOINLINE void locks(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    KEEP_FRAME();
}

static NOINLINE void waits_for_child(void)
{
    pid_t const child = fork();
    if (child == 0) {
        nap(6);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    KEEP_FRAME();
}

static int orders[2], answers[2];

/* Does to the others what they wait for, after a while. */
static void *help(void *argument)
{
    char order;
    while (read(orders[0], &order, 1) == 1) {
        if (order == 'l')
            pthread_mutex_lock(&lock);
        if (write(answers[1], &order, 1) != 1)
            _exit(1);
        nap(8);
        if (order == 'p' && write(to_pipe[1], "", 1) != 1)
            _exit(1);
        if (order == 's' && write(to_socket[1], "", 1) != 1)
            _exit(1);
        if (order == 'l')
            pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void ask(char order)
{
    if (write(orders[1], &order, 1) != 1 || read(answers[0], &order, 1) != 1)
        _exit(1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*wait)(void);
        char order; /* of the helper; 0: none */
    } ways[] = {{"sleeps", sleeps, 0},           {"polls", polls, 0},
                {"reads_pipe", reads_pipe, 'p'}, {"reads_socket", reads_socket, 's'},
                {"locks", locks, 'l'},           {"waits_for_child", waits_for_child, 0}};
    enum { WAYS = sizeof(ways) / sizeof(ways[0]) };
    uint64_t waited[WAYS] = {0};
    pthread_t helper;
    if (pipe(to_pipe) < 0 || pipe(orders) < 0 || pipe(answers) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, to_socket) < 0 ||
        pthread_create(&helper, NULL, help, NULL) != 0)
        return 1;
    say_and_wait("ready");
    for (int round = 0; round < (argc > 1 ? atoi(argv[1]) : 10); round++) {
        for (unsigned i = 0; i < WAYS; i++) {
            if (ways[i].order)
                ask(ways[i].order);
            uint64_t const began = now_ns(CLOCK_MONOTONIC), used = now_ns(CLOCK_THREAD_CPUTIME_ID);
            ways[i].wait();
            waited[i] += now_ns(CLOCK_MONOTONIC) - began - (now_ns(CLOCK_THREAD_CPUTIME_ID) - used);
        }
    }
    for (unsigned i = 0; i < WAYS; i++)
        say("%s %llu\n", ways[i].name, (unsigned long long)waited[i]);
    say_and_wait("done");
    return 0;
}
