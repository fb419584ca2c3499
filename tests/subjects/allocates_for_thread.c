/* SPDX-License-Identifier: Apache-2.0 */
/* The first thing that anybody allocates is allocated by a child that shares the memory:
 *
 *   allocates_for_thread main      1000 blocks of 20 bytes, by a child of vfork of the main thread
 *   allocates_for_thread threads   the same by a child of vfork in each of 5 threads, whose own 100
 *                                  blocks of 30 bytes come after
 *   allocates_for_thread clone     the same as main, by a child with another stack
 *   allocates_for_thread stranger  the same with storage of its own for threads */
#include "subject.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* glibc's own, for threads that somebody else makes. */
void *_dl_allocate_tls(void *storage);

static void *volatile sink;

static NOINLINE void in_child(void)
{
    for (int i = 0; i < 1000; i++)
        sink = malloc(20);
    KEEP_FRAME();
}

static NOINLINE void after_child(void)
{
    for (int i = 0; i < 100; i++)
        sink = malloc(30);
    KEEP_FRAME();
}

static NOINLINE void by_vfork(void)
{
    pid_t child = vfork();
    if (child == 0) {
        in_child();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void *thread(void *unused)
{
    (void)unused;
    by_vfork();
    after_child();
    return NULL;
}

static int child(void *unused)
{
    (void)unused;
    in_child();
    return 0;
}

static void by_clone(int flags, void *storage)
{
    static _Alignas(16) char stack[1 << 18];
    waitpid(clone(child, stack + sizeof(stack), CLONE_VM | SIGCHLD | flags, NULL, NULL, storage),
            NULL, 0);
}

/* As _dl_allocate_tls wants it, and as code finds itself by. */
static void by_stranger(void)
{
    static _Alignas(64) char memory[1 << 14];
    void **storage = (void **)(memory + sizeof(memory) / 2);
    if (!_dl_allocate_tls(storage))
        _exit(3);
    storage[0] = storage[2] = storage;
    by_clone(CLONE_SETTLS, storage);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "main";
    pthread_t id;
    if (strcmp(way, "main") == 0)
        by_vfork();
    else if (strcmp(way, "clone") == 0)
        by_clone(0, NULL);
    else if (strcmp(way, "stranger") == 0)
        by_stranger();
    for (int i = 0; i < 5 && strcmp(way, "threads") == 0; i++)
        if (pthread_create(&id, NULL, thread, NULL) != 0 || pthread_join(id, NULL) != 0)
            return 1;
    after_child();
    return 0;
}
