/* SPDX-License-Identifier: Apache-2.0 */
/* 300 threads on stacks of three kinds (usual, without guard pages, the program's own).  The
 * first thing each does is to ask where its stack is; then in_thread makes a block of 100 bytes. */
#include "subject.h"

#include <pthread.h>
#include <stdlib.h>

#define OWN_BYTES 200000

static NOINLINE void in_thread(void)
{
    void *volatile block = malloc(100);
    (void)block;
    KEEP_FRAME();
}

static void *ask(void *arg)
{
    pthread_attr_t attributes;
    void *start;
    size_t size;
    char here;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0 ||
        pthread_attr_getstack(&attributes, &start, &size) != 0)
        _exit(1);
    pthread_attr_destroy(&attributes);
    if (&here < (char *)start || &here >= (char *)start + size)
        _exit(2);
    in_thread();
    return arg;
}

static void run(const pthread_attr_t *attributes)
{
    pthread_t thread;
    if (pthread_create(&thread, attributes, ask, NULL) != 0)
        _exit(3);
    pthread_join(thread, NULL);
}

int main(void)
{
    static char own[OWN_BYTES + 64];
    alarm(30);
    pthread_attr_t unguarded, odd;
    pthread_attr_init(&unguarded);
    pthread_attr_setguardsize(&unguarded, 0);
    pthread_attr_init(&odd);
    pthread_attr_setstack(&odd, own + 32, OWN_BYTES);
    for (int i = 0; i < 100; i++) {
        run(NULL);
        run(&unguarded);
        run(&odd);
    }
    say("300 threads\n");
    return 0;
}
