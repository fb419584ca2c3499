/* SPDX-License-Identifier: Apache-2.0 */
/* In each of two threads: 60,000 blocks of 48 bytes, 600 of 20,000 and 8 of 1,000,000 are kept;
 * 300,000 of 100 bytes come and go; one grows by realloc from 1 to 2,000 times 1,000 bytes, and
 * is kept. */
#include "subject.h"

#include <pthread.h>
#include <stdlib.h>

#define THREADS 2

struct list {
    struct list *next;
};

static NOINLINE void keep(struct list **list, void *block)
{
    struct list *entry = block;
    entry->next = *list;
    *list = entry;
}

static NOINLINE void small_here(struct list **list)
{
    keep(list, malloc(48));
    KEEP_FRAME();
}

static NOINLINE void medium_here(struct list **list)
{
    keep(list, calloc(200, 100));
    KEEP_FRAME();
}

static NOINLINE void large_here(struct list **list)
{
    keep(list, malloc(1000000));
    KEEP_FRAME();
}

static NOINLINE void passing_here(void)
{
    void *volatile block = malloc(100);
    free(block);
    KEEP_FRAME();
}

static NOINLINE void growing_here(struct list **list)
{
    void *block = NULL;
    for (size_t size = 1000; size <= 2000000; size += 1000)
        block = realloc(block, size);
    keep(list, block);
    KEEP_FRAME();
}

static void *work(void *argument)
{
    struct list **list = argument;
    for (int i = 0; i < 60000; i++) {
        small_here(list);
        if (i % 100 == 0)
            medium_here(list);
        if (i % 7500 == 0)
            large_here(list);
        for (int k = 0; k < 5; k++)
            passing_here();
    }
    growing_here(list);
    return NULL;
}

int main(void)
{
    static struct list *lists[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &lists[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
